// Reads any bytes as JSON of the trace event format: must not crash, and the result must be valid.
#include "trace/read/foreign/chrome/chrome.h"

#include <span>
#include <vector>

#include "fuzz/foreign.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // An exact-size copy lets the address sanitizer detect reads past the end.
  const std::vector<uint8_t> file(data, data + size);
  skein::check_foreign(skein::chrome::read(file), size);
  return 0;
}
