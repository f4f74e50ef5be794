// Where the functions of a module have the frames of their callers: a sorted table, made from the
// call frame information that compilers write for exceptions (.eh_frame). A handler of samples can
// search it; the information itself is a program for each function.
//
//   FrameSections info = {header, header_size, header_address, frames, frames_size,
//   frames_address}; const uint32_t count = convert(info, module, rows, capacity); const CallFrame&
//   at = find_frame(rows, count, offset);
//
// Only what a walk needs is kept: the CFA (the stack pointer in the caller, behind the return
// address) and the caller's frame pointer. Of functions whose rules are others, nothing.
//
// Formats: Linux Standard Base Core 5.0, "Exception Frames" and ".eh_frame_hdr"; DWARF 5, section
// 6.4; registers: System V ABI for x86-64, figure 3.36.
#pragma once
#include <stddef.h>
#include <stdint.h>

namespace skein::record {

// From an offset in the module up to that of the next row.
struct CallFrame {
  enum class Base : uint8_t {
    Unknown,
    Outermost,     // it has no caller
    Stack,         // CFA = stack pointer + cfa
    Frame,         // CFA = frame pointer + cfa
    FrameContent,  // CFA = the word at frame pointer + cfa: functions that align their stack
    Signal,        // what a handler returns to: the registers are in its ucontext_t
  };
  // Values of `fp`; others: bytes from the CFA to the caller's frame pointer, on the stack.
  static constexpr int16_t kUnchanged = INT16_MAX;
  static constexpr int16_t kAtFrame = INT16_MAX - 1;  // the frame pointer has its address
  static constexpr int16_t kLost = INT16_MIN;

  uint32_t begin;
  int32_t cfa;
  int16_t fp;
  Base base;
};

// Copies of a module's memory, and where they were. Nothing in them is trusted.
struct FrameSections {
  const uint8_t* header;  // .eh_frame_hdr
  size_t header_size;
  uint64_t header_address;
  const uint8_t* frames;  // .eh_frame; may be longer than it
  size_t frames_size;
  uint64_t frames_address;
};

// Where .eh_frame begins, by the header; 0: unknown.
uint64_t frames_address(const uint8_t* header, size_t size, uint64_t address);

// Writes the rows of a module that begins at `module`, sorted, at most `capacity`. Returns their
// number; 0: the header has no sorted table of functions, or another encoding. O(bytes).
uint32_t convert(const FrameSections& info, uint64_t module, CallFrame* rows, uint32_t capacity);

// Base::Unknown if no row covers the offset. O(log count).
CallFrame find_frame(const CallFrame* rows, uint32_t count, uint32_t offset);

}  // namespace skein::record
