// The parameters and local variables that a coroutine keeps in its frame, from the type that the
// compiler has described for the frame: g++'s at any optimisation, clang's without. Others of
// clang's have no name there.
//
//   Result<FrameVariables> variables = FrameVariables::read(file.bytes(), path, places, files);
//   for (const auto& one : variables->of(function, frame, memory)) print(one.name, one.value);
//
// Which of them exist at the place where the coroutine waits is not known: one that does not yet,
// or no longer, has the bytes that are there. Nothing in the file or the memory is trusted.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "symbol/debug_file.h"

namespace skein {

struct FrameVariable {
  std::string name = {};
  std::string type = {};   // empty: unknown
  std::string value = {};  // "5", "\"text\"", "{fd = 7, ..}"; printable ASCII, 200 bytes at most
};

class FrameVariables {
 public:
  // Reads up to to.size() bytes of the target's memory and returns how many.
  using Memory = std::function<size_t(uint64_t address, std::span<uint8_t> to)>;

  // `elf` must stay valid as long as the result. Fails without debug information.
  static Result<FrameVariables> read(std::span<const uint8_t> elf, const std::string& path,
                                     const DebugFilePlaces& places, Files& files);
  FrameVariables(FrameVariables&&) noexcept;
  FrameVariables& operator=(FrameVariables&&) noexcept;
  ~FrameVariables();

  // Of the frame at `frame`, whose coroutine is resumed by the function at `function` (an address
  // of the file). At most 100. The first time O(functions of its unit).
  std::vector<FrameVariable> of(uint64_t function, uint64_t frame, const Memory& memory);

 private:
  struct State;
  explicit FrameVariables(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace skein
