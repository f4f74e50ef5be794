// The parameters and local variables that a coroutine keeps in its frame: from the type that the
// compiler has described for the frame (g++'s at any optimisation, clang's without), or else from
// where the variables are at the instructions at which the coroutine may have been suspended.
//
//   Result<FrameVariables> variables = FrameVariables::read(file.bytes(), path, places, files);
//   for (const auto& one : variables->of(code, frame, memory)) print(one.name, one.value);
//
// If the instructions are known, only variables that are in scope there are found. Otherwise, which
// of them exist at the place where the coroutine waits is not known: one that does not yet, or no
// longer, has the bytes that are there. Nothing in the file or the memory is trusted.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "symbol/debug_file.h"
#include "symbol/frame_location.h"
#include "symbol/standard_value.h"

namespace skein {

struct FrameVariable {
  std::string name = {};
  std::string type = {};   // empty: unknown
  std::string value = {};  // "5", "\"text\"", "{fd = 7, ..}"; printable ASCII, 200 bytes at most
};

// A variable of a class, or a pointer or reference to one, that exists where the coroutine was
// suspended.
struct FrameObject {
  std::string type = {};      // qualified, without the arguments of templates
  bool is_pointer = false;    // then `type` is what it refers to
  bool is_elsewhere = false;  // known at other instructions only: the content may be old
  uint32_t line = 0;          // of the declaration
  std::vector<std::optional<uint8_t>> bytes = {};  // the first 16; nothing: unknown
  std::optional<uint64_t> word() const;            // of the first 8
};

// Addresses of the file.
struct FrameCode {
  uint64_t resume = 0;                     // of the function that resumes the coroutine
  uint64_t resume_end = 0;                 // of its last byte, plus 1
  std::vector<FramePlace> suspended = {};  // where it may have been suspended, in any function
  std::vector<FramePlace> begin = {};      // of the code that resumes it
  bool has_one_place = false;              // what begins there follows the suspension
};

class FrameVariables {
 public:
  using Memory = FrameMemory;

  // `elf` must stay valid as long as the result. Fails without debug information.
  static Result<FrameVariables> read(std::span<const uint8_t> elf, const std::string& path,
                                     const DebugFilePlaces& places, Files& files);
  FrameVariables(FrameVariables&&) noexcept;
  FrameVariables& operator=(FrameVariables&&) noexcept;
  ~FrameVariables();

  // Of the frame at `frame`. At most 100. The first time O(entries of its unit).
  std::vector<FrameVariable> of(const FrameCode& code, uint64_t frame, const Memory& memory,
                                const CodeNames& names = {});
  // The variables of classes, and pointers and references to some, that are in scope where the
  // coroutine was suspended, and whose content is known. The places are those of one co_await: code
  // that was moved may be in fewer scopes. Empty: unknown.
  std::vector<FrameObject> objects(const FrameCode& code, uint64_t frame, const Memory& memory);

 private:
  struct State;
  struct InScope;
  explicit FrameVariables(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace skein
