#include "frames/resume_target.h"

#include <algorithm>
#include <cstring>

namespace skein {

namespace {

struct JumpTable {
  uint64_t address = 0;
  bool is_relative = false;  // 4 bytes for each number, from `address`; else addresses of 8 bytes
};

int32_t offset_at(std::span<const uint8_t> code, size_t at) {
  int32_t value = 0;
  std::memcpy(&value, code.data() + at, sizeof value);
  return value;
}

// REX.W 8D /r, ModRM 05+8r: lea r64, [rip + disp32], followed by REX.W 63 /r, movsxd r64, and FF /4
// with a register, jmp r64. FF /4 with SIB 8*index and no base: jmp [disp32 + 8 * index]. Intel's
// manual, volume 2.
std::optional<JumpTable> first_table(std::span<const uint8_t> code, uint64_t address) {
  constexpr size_t near = 24;
  for (size_t i = 0; i + 7 <= code.size(); i++) {
    if (code[i] == 0xFF && code[i + 1] == 0x24 && (code[i + 2] & 0xC7) == 0xC5)
      return JumpTable{static_cast<uint32_t>(offset_at(code, i + 3)), false};
    if ((code[i] & 0xFB) != 0x48 || code[i + 1] != 0x8D || (code[i + 2] & 0xC7) != 5) continue;
    const uint64_t table = address + i + 7 + static_cast<uint64_t>(int64_t{offset_at(code, i + 3)});
    bool is_loaded = false;
    for (size_t at = i + 7; at + 2 < code.size() && at < i + near; at++) {
      if ((code[at] & 0xF8) == 0x48 && code[at + 1] == 0x63) is_loaded = true;
      if (is_loaded && code[at] == 0xFF && (code[at + 1] & 0xF8) == 0xE0)
        return JumpTable{table, true};
    }
  }
  return {};
}

}  // namespace

// g++ numbers points from 2 in steps of 2: odd numbers lead to the same trap.
std::optional<uint64_t> resume_target(
    std::span<const uint8_t> code, uint64_t address, uint32_t point,
    const std::function<std::span<const uint8_t>(uint64_t address, uint64_t size)>& data) {
  const std::optional<JumpTable> table = first_table(code, address);
  constexpr uint32_t most = 0x10000;
  if (!table || point < 2 || point % 2 != 0 || point >= most) return {};
  const size_t size = table->is_relative ? 4 : 8;
  const std::span<const uint8_t> entries = data(table->address, (point + 1) * size);
  if (entries.size() < (point + 1) * size) return {};
  const auto target = [&](uint32_t number) {
    if (table->is_relative)
      return table->address + static_cast<uint64_t>(int64_t{offset_at(entries, number * size)});
    uint64_t value = 0;
    std::memcpy(&value, entries.data() + number * size, sizeof value);
    return value;
  };
  const uint64_t trap = target(1);
  for (uint32_t number = 3; number < point; number += 2)
    if (target(number) != trap) return {};
  const uint64_t found = target(point);
  if (found == trap || found < address || found - address >= code.size()) return {};
  return found;
}

}  // namespace skein
