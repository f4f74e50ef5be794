// What the weights of a profile count, in the words of other tools.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace skein {

struct ProfileUnit {
  std::string name = "samples";    // as the user gives it
  std::string_view standard = {};  // "nanoseconds", "bytes", ...; empty: a count of things
};

inline ProfileUnit profile_unit(std::string name) {
  struct Known {
    std::string_view name;
    std::string_view standard;
  };
  constexpr std::array known{
      Known{"ns", "nanoseconds"},
      Known{"us", "microseconds"},
      Known{"ms", "milliseconds"},
      Known{"s", "seconds"},
      Known{"bytes", "bytes"},
      Known{"nanoseconds", "nanoseconds"},
      Known{"seconds", "seconds"},
      Known{"microseconds", "microseconds"},
      Known{"milliseconds", "milliseconds"},
  };
  for (const Known& one : known)
    if (name == one.name) return {std::move(name), one.standard};
  return {std::move(name), {}};
}

}  // namespace skein
