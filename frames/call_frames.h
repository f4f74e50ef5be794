// The callers of an instruction, from the call frame information of an ELF file (.eh_frame, or
// .debug_frame): where each function keeps its return address and the registers of its caller.
//
//   Result<CallFrames> frames = CallFrames::read(file.bytes(), path);
//   const auto caller = frames->caller(registers, bias, is_return, memory);
//
// Addresses are those in the file, as linked. Only the rules that compilers write are known: a
// register plus a number, and places relative to that. Nothing in the file is trusted.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/result.h"
#include "target/target.h"

namespace skein {

class CallFrames {
 public:
  // Reads a word of the target's memory; nothing: it cannot be read.
  using ReadWord = std::function<std::optional<uint64_t>(uint64_t address)>;
  struct Caller {
    Registers registers = {};  // those of the caller, at its call; pc is the return address
    bool is_none = false;      // the callee is the first function of its thread
  };

  // `elf` must stay valid as long as the result. Fails if there is no such information.
  static Result<CallFrames> read(std::span<const uint8_t> elf, const std::string& path);
  CallFrames(CallFrames&&) noexcept;
  CallFrames& operator=(CallFrames&&) noexcept;
  ~CallFrames();

  // Of x86-64. `bias` is added to the file's addresses in the target. `is_return`: pc is a return
  // address, and the call is before it. Nothing: no rule for this code, an unknown one, or a
  // register is needed and not known. O(log functions) with .eh_frame_hdr, else O(functions) at
  // first. The frames of signal handlers are not known.
  std::optional<Caller> caller(const Registers& callee, uint64_t bias, bool is_return,
                               const ReadWord& memory) const;

 private:
  struct State;
  explicit CallFrames(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace skein
