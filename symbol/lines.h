// The lines of a program's instructions, from its debug information (DWARF).
//
//   Result<Lines> lines = Lines::read(file.bytes(), path);
//   if (lines) show(lines->at(address, function_name));
//
// Addresses are those in the file, as linked.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace skein {

class Lines {
 public:
  struct Place {
    std::string file = {};  // as the compiler names it, with its folder
    uint32_t line = 0;
    bool operator==(const Place&) const = default;
  };

  // `elf` must stay valid as long as the result. Fails without debug information.
  // O(compilation units); the lines of a unit are read when they are needed.
  static Result<Lines> read(std::span<const uint8_t> elf, const std::string& path);
  Lines(Lines&&) noexcept;
  Lines& operator=(Lines&&) noexcept;
  ~Lines();

  // The line of an instruction in the function that was compiled to it: that of the outermost call,
  // if the instruction comes from inlined functions. Nothing: unknown.
  std::optional<Place> at(uint64_t address) const;

  struct Call {
    uint64_t address = 0;
    uint64_t end = 0;           // of this part of its code
    std::string function = {};  // as the linker knows it: mangled; empty: unknown
  };
  // The calls of functions of this name that were inlined into the function at `address`, directly
  // or not; ascending by where their code begins.
  std::vector<Call> inlined(uint64_t address, std::string_view name) const;

  // Where the type of a variable of the function at `address` has a member: bytes from its
  // beginning. Nothing: there is no such variable or member.
  std::optional<uint64_t> member_offset(uint64_t address, std::string_view variable,
                                        std::string_view member) const;

 private:
  struct State;
  explicit Lines(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace skein
