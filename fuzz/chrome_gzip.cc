// Reads any bytes as a compressed JSON trace: must not crash or unpack more than the limit, and the
// result must be valid.
#include <cstdlib>
#include <span>
#include <vector>

#include "fuzz/foreign.h"
#include "trace/read/foreign/chrome/chrome.h"
#include "trace/read/foreign/chrome/gzip.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr uint64_t limit = 1 << 20;
  const std::vector<uint8_t> file(data, data + size);
  const auto unpacked = skein::chrome::unpack(file, limit);
  if (unpacked.bytes.size() > limit || unpacked.offset > size) std::abort();
  if (unpacked.bytes.size() > 16 * size + 4096) return 0;  // a bomb; fuzz/chrome covers the JSON
  skein::check_foreign(skein::chrome::read(unpacked.bytes), unpacked.bytes.size());
  return 0;
}
