// Demangles the name of a type, as std::type_info::name() returns it with the Itanium C++ ABI.
#pragma once

#include <string>
#include <string_view>

namespace skein {

// "N3net5ErrorE" -> "net::Error", "i" -> "int"; empty if the text is not the whole name of a type.
//
// Any bytes are allowed. A short name can make a demangler run for years or exhaust the memory:
// each of a hundred back references doubles the text, and nested conversion operators are parsed
// twice each. Therefore names of more than 512 bytes, with more than 16 back references, or with
// expressions or conversion operators are not demangled either. Nor is any name in the page, where
// the demangler would be a sixth of the code. Cost: at most some milliseconds and 100 KB of text.
std::string demangled_type(std::string_view mangled);

}  // namespace skein
