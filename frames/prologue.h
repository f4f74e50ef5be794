// The beginning of a function, which saves registers: from code for x86-64.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace skein {

struct Prologue {
  size_t end = 0;  // bytes
  // Registers that have the first parameter there, as instructions number them: rdi (7), and those
  // to which it was copied. The last keeps it longest.
  std::vector<uint8_t> parameter = {};
};

Prologue prologue_of(std::span<const uint8_t> code);

}  // namespace skein
