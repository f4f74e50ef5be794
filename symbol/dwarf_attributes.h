// Attributes of entries of debug information.
#pragma once

#include <dwarf.h>
#include <elfutils/libdw.h>

#include <cstdint>
#include <optional>
#include <string>

namespace skein {

// Of the entry, or of that whose concrete form it is. Empty: there is none.
inline std::string text_of(Dwarf_Die* die, unsigned attribute) {
  Dwarf_Attribute found;
  const char* text =
      dwarf_attr_integrate(die, attribute, &found) == nullptr ? nullptr : dwarf_formstring(&found);
  return text == nullptr ? "" : text;
}
inline std::string name_of(Dwarf_Die* die) { return text_of(die, DW_AT_name); }

inline std::optional<uint64_t> number_of(Dwarf_Die* die, unsigned attribute) {
  Dwarf_Attribute found;
  Dwarf_Word value = 0;
  if (dwarf_attr_integrate(die, attribute, &found) == nullptr ||
      dwarf_formudata(&found, &value) != 0)
    return {};
  return value;
}

// False: it has none.
inline bool type_of(Dwarf_Die* die, Dwarf_Die* type) {
  Dwarf_Attribute found;
  return dwarf_attr_integrate(die, DW_AT_type, &found) != nullptr &&
         dwarf_formref_die(&found, type) != nullptr;
}

}  // namespace skein
