// Where a coroutine of g++ goes on when it is resumed, from the code at the beginning of its
// function, which jumps by the number of the suspension point: a switch, as a table or as
// comparisons.
//
//   if (const auto target = resume_target(code, 4)) show(lines.at(*target));
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <span>

namespace skein {

// Code of a function, of a file for x86-64.
struct Code {
  uint64_t address = 0;
  std::span<const uint8_t> bytes = {};
  // Other bytes of the file, at an address as linked; empty if it has none there. May be null.
  std::function<std::span<const uint8_t>(uint64_t address, uint64_t size)> file = {};
  bool has_frame = false;  // its parameter is the frame
  // It creates frames, at whose beginning it stores this address, of the function that resumes the
  // coroutine; 0: it does not.
  uint64_t creates = 0;
  // What the compiler has moved out of the function. Jumps lead there and back.
  uint64_t rest_address = 0;
  std::span<const uint8_t> rest = {};
};

// A number in code, such as a displacement. Precondition: at + 4 <= bytes.size().
inline int32_t signed_at(std::span<const uint8_t> bytes, size_t at) {
  int32_t value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

// Nothing: the code has another form. The result is inside `code`. O(1).
std::optional<uint64_t> resume_target(const Code& code, uint32_t point);

}  // namespace skein
