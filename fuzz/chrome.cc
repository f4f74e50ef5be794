// Any bytes as JSON of the trace event format: never a crash, and what comes out keeps its
// promises.
#include "trace/read/chrome/chrome.h"

#include <span>
#include <vector>

#include "fuzz/foreign.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // A copy of exactly this size, so that the address sanitizer sees a read behind it.
  const std::vector<uint8_t> file(data, data + size);
  skein::check_foreign(skein::chrome::read(file), size);
  return 0;
}
