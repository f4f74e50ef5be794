// Options that users type: those of the recorder's environment, durations and sizes.
//
//   u8 choice   modulo 3: 0 recorder's options, 1 a duration, 2 a size; the rest is the text
#include "record/host/posix/options.h"

#include <cmath>
#include <cstring>
#include <string>

#include "base/byte_size.h"
#include "base/duration.h"
#include "base/text.h"
#include "fuzz/command/any_trace.h"

using namespace skein;
using fuzz::require;

namespace {

void check_recorder(const std::string& text) {
  record::Options options;
  const char* const wrong = record::parse_options(text.c_str(), options);
  require(std::memchr(options.directory, 0, sizeof options.directory) != nullptr);
  if (wrong != nullptr)
    fuzz::require_printable(wrong, "");
  else
    require(options.size <= uint64_t{16} << 30);
}

void check_duration(const std::string& text) {
  const auto ns = parse_duration(text);
  if (!ns) return;
  require(std::isfinite(*ns));
  if (*ns < 0 || *ns > 1e17) return;
  const auto again = parse_duration(duration_text(*ns));
  require(again && std::abs(*again - *ns) <= 0.006 * *ns + 1);
}

void check_size(const std::string& text) {
  const auto bytes = parse_size(text);
  if (!bytes) return;
  require(text[0] >= '0' && text[0] <= '9');
  fuzz::require_printable(size_text(*bytes), "");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 3) {
    case 0:
      check_recorder(text);
      break;
    case 1:
      check_duration(text);
      break;
    default:
      check_size(text);
  }
  return 0;
}
