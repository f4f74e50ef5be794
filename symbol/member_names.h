// Names of member functions without a linkage name, as g++ describes those of classes in unnamed
// namespaces and in functions: from the classes around them.
#pragma once

#include <elfutils/libdw.h>

#include <string>
#include <string_view>
#include <unordered_map>

#include "symbol/dwarf_work.h"

namespace skein {

class MemberNames {
 public:
  // Of the function that was inlined, whose own name, without the arguments of a template, is `name`:
  // "Event::await_suspend()". Empty: unknown. The first time for a name O(entries of the unit).
  std::string name_of_call(Dwarf_Die call, std::string_view name, DwarfWork& work);

 private:
  struct Unit {
    std::unordered_map<Dwarf_Off, std::string> names = {};  // by entry
  };
  void add(Dwarf_Die* scope, const std::string& prefix, std::string_view name, int depth,
           DwarfWork& work, Unit& to);

  std::unordered_map<std::string, Unit> units_ = {};  // by function and unit
};

}  // namespace skein
