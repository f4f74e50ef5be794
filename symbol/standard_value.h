// Objects of the standard library by what they contain, not by their members: the elements of a
// vector, what a pointer owns, whether an optional has a value.
//
//   if (const auto found = standard_value(memory, type, address)) show(*found);
//
// By the names of the types and members of libstdc++. Nothing in the debug information or the
// memory is trusted: sizes are shown, but bound nothing.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "symbol/frame_location.h"

namespace skein {

inline constexpr const char* unreadable_value = "?";

struct StandardValue {
  static constexpr size_t most_elements = 8;

  enum class Form : uint8_t {
    Text,       // `text` alone
    Character,  // `count` characters at `address`
    One,        // `text`, and the only element
    Elements,   // in braces
    Pairs,      // keys and values
  };
  struct Element {
    Dwarf_Die type = {};
    uint64_t address = 0;
  };

  Form form = Form::Text;
  std::string text = {};
  std::string end = {};  // behind the only element
  uint64_t address = 0;
  std::vector<Element> elements = {};  // the first ones; of Pairs, each key before its value
  uint64_t count = 0;                  // of all elements
  bool is_count_known = true;
};

// The name of the function at an address of the target; empty: unknown.
using CodeNames = std::function<std::string(uint64_t address)>;

// Precondition: `type` is a class, without qualifiers. Nothing: it is no such type, or its members
// are unknown.
std::optional<StandardValue> standard_value(const FrameMemory& memory, const CodeNames& names,
                                            Dwarf_Die type, uint64_t address);

// Without typedefs, const and volatile.
Dwarf_Die plain_type(Dwarf_Die type);

// The type that the name of a function of std::function or std::any contains: "int" of
// "std::any::_Manager_internal<int>::_S_manage(..)". Empty: none.
std::string held_type(const std::string& function);

}  // namespace skein
