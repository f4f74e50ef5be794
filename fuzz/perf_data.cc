// A perf.data whose files are the input, too.
#include <cstdlib>
#include <string>

#include "profile/flame/folded.h"
#include "profile/perf/perf_stacks.h"

using namespace skein;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto require = [](bool condition) {
    if (!condition) std::abort();
  };
  MemoryFiles files;
  files.add("/a", std::vector<uint8_t>(data + size / 2, data + size));
  files.add("/proc/kallsyms", "ffffffff81000000 T _text\nffffffff81000100 T vfs_read\n");
  const auto stacks = fold_perf_data({data, size}, "perf.data", files, {});
  if (!stacks) {
    require(!stacks.error().what.empty());
    return 0;
  }
  // All lines are stacks, and nothing of a name is a count.
  FoldedStacks read;
  const std::string& text = stacks->folded;
  const auto ignored = read.add({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
  require(ignored.ignored == 0 || ignored.why == "the count is greater than 10^18");
  require(!read.compares());
  return 0;
}
