// Where a variable is at an instruction, as far as that leads to the frame of a coroutine: a place
// in memory, or a value that the debug information has.
//
//   if (const auto found = locate(&variable, place, is_resumed, frame, memory)) show(*found);
//
// What was in another register, on a stack or at a static address when the coroutine was suspended
// is unknown. Nothing in the debug information is trusted.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace skein {

// Reads up to to.size() bytes of the target's memory and returns how many.
using FrameMemory = std::function<size_t(uint64_t address, std::span<uint8_t> to)>;

// An instruction, an address in the file, where a register has the address of the frame.
struct FramePlace {
  uint64_t address = 0;
  unsigned register_number = 0;  // DWARF's: rbx is 3
  bool operator==(const FramePlace&) const = default;
};

struct FrameLocation {
  std::optional<uint64_t> address = {};            // in memory; nothing: `bytes` are the value
  std::vector<std::optional<uint8_t>> bytes = {};  // nothing: unknown
};

// `is_resumed`: `place` is in the function that resumes the coroutine, whose parameter is the
// frame. Nothing: its location is unknown there.
std::optional<FrameLocation> locate(Dwarf_Die* variable, const FramePlace& place, bool is_resumed,
                                    uint64_t frame, const FrameMemory& memory);

// Where the variable is at other instructions of the same function, if the same register has the
// frame there: the content may be old. Nothing: nowhere.
std::optional<uint64_t> locate_elsewhere(Dwarf_Die* variable, const FramePlace& place,
                                         uint64_t frame);

}  // namespace skein
