#include "base/awaiter_type.h"

namespace skein {

namespace {

// Whether a type has a name like that of a class, and not of a namespace. `name`: its last part.
bool is_class(std::string_view name) { return !name.empty() && name[0] >= 'A' && name[0] <= 'Z'; }

}  // namespace

std::string_view object_type(std::string_view awaiter) {
  int depth = 0;      // of template arguments
  size_t before = 0;  // where the name before the last begins
  size_t last = 0;    // where the last name begins
  for (size_t i = 0; i < awaiter.size(); i++) {
    const char c = awaiter[i];
    if (c == '<') depth++;
    if (c == '>') depth--;
    if (depth != 0) continue;
    if (c == '(' && !awaiter.substr(i).starts_with("(anonymous")) {
      const bool is_member = last >= 2;
      return is_member ? awaiter.substr(0, last - 2) : awaiter;
    }
    if (c == ':' && i > 0 && awaiter[i - 1] == ':') {
      before = last;
      last = i + 1;
    }
  }
  if (awaiter.substr(last) == "Awaiter" && is_class(awaiter.substr(before, last - before)))
    return awaiter.substr(0, last - 2);
  return awaiter;
}

std::string_view object_function(std::string_view awaiter) {
  int depth = 0;  // of template arguments
  for (size_t i = 0; i < awaiter.size(); i++) {
    if (awaiter[i] == '<') depth++;
    if (awaiter[i] == '>') depth--;
    if (depth == 0 && awaiter[i] == '(' && !awaiter.substr(i).starts_with("(anonymous"))
      return awaiter.substr(0, i);
  }
  return {};
}

}  // namespace skein
