// Any bytes as a compressed JSON trace: never a crash, never more memory than the limit, and what
// comes out keeps its promises.
#include <cstdlib>
#include <span>
#include <vector>

#include "fuzz/foreign.h"
#include "trace/read/chrome/chrome.h"
#include "trace/read/chrome/gzip.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr uint64_t limit = 1 << 20;
  const std::vector<uint8_t> file(data, data + size);
  const auto unpacked = skein::chrome::unpack(file, limit);
  if (unpacked.bytes.size() > limit || unpacked.offset > size) std::abort();
  if (unpacked.bytes.size() > 16 * size + 4096) return 0;  // a bomb; the JSON is fuzz/chrome's
  skein::check_foreign(skein::chrome::read(unpacked.bytes), unpacked.bytes.size());
  return 0;
}
