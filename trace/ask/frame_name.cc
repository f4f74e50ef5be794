#include "trace/ask/frame_name.h"

#include <charconv>

#include "base/function_name.h"

namespace skein {

std::string frame_name(const Trace& trace, const StackFrame& frame) {
  if (frame.function != 0) return short_function_name(trace.strings[frame.function]);
  char digits[16];
  const auto end = std::to_chars(digits, digits + sizeof digits, frame.address, 16).ptr;
  return "0x" + std::string(digits, end);
}

}  // namespace skein
