// Reads a core file, with one of the files that it may name. Its mappings must be sorted and may
// not overlap; memory is read at their ends.
#include <cstdlib>

#include "target/core_file.h"
#include "target/elf.h"

using namespace skein;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  MemoryFiles files;
  files.add("core", {data, data + size});
  files.add("/lib/a", {data, data + size / 2});
  const auto core = read_core("core", files);
  if (!core) {
    require(!core.error().what.empty());
    return 0;
  }
  const Target& target = **core;
  uint64_t end = 0;
  size_t tried = 0;
  for (const Mapping& mapping : target.mappings()) {
    require(mapping.begin >= end && mapping.end > mapping.begin);
    end = mapping.end;
    require(find_mapping(target.mappings(), mapping.end - 1) == &mapping);
    if (tried++ > 100) continue;
    uint8_t bytes[64];
    require(target.read(mapping.begin, bytes) <= sizeof bytes);
    target.read(mapping.end - 1, bytes);
    if (mapping.has_file()) (void)target.file_of(mapping);
    build_id_of_file(target, mapping);
  }
  target.threads();
  return 0;
}
