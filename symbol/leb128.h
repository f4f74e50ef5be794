// DWARF's numbers of variable length (DWARF 5, 7.6).
#pragma once

#include <cstdint>

#include "base/cursor.h"

namespace skein {

// Bits above the 64th are ignored, as by libdw. A number that is cut short makes the cursor fail.
inline uint64_t read_uleb128(Cursor& bytes) {
  uint64_t value = 0;
  for (unsigned shift = 0; !bytes.failed(); shift += 7) {
    const uint8_t byte = bytes.u8();
    if (shift < 64) value |= uint64_t{byte & 0x7FU} << shift;
    if ((byte & 0x80) == 0) break;
  }
  return value;
}

inline int64_t read_sleb128(Cursor& bytes) {
  uint64_t value = 0;
  unsigned shift = 0;
  uint8_t byte = 0x80;
  while ((byte & 0x80) != 0 && !bytes.failed()) {
    byte = bytes.u8();
    if (shift < 64) value |= uint64_t{byte & 0x7FU} << shift;
    shift += 7;
  }
  if (shift < 64 && (byte & 0x40) != 0) value |= ~uint64_t{0} << shift;
  return static_cast<int64_t>(value);
}

}  // namespace skein
