#include "profile/flame/harmless.h"

#include <algorithm>

#include "base/escape.h"

namespace skein {

std::string harmless(std::string_view name) {
  // Nearly all names.
  if (std::all_of(name.begin(), name.end(), [](char c) { return c >= 0x20 && c < 0x7f; }))
    return std::string(name);
  std::string out;
  while (true) {
    const size_t plain = name.find_first_of("\\\"");
    append_escaped(out, name.substr(0, plain));
    if (plain == name.npos) return out;
    out += name[plain];
    name.remove_prefix(plain + 1);
  }
}

void hide_count(std::string& name) {
  if (name.empty()) return;
  while (name.ends_with(' ') || name.ends_with('\t')) name.pop_back();
  if (name.empty()) name += '_';
  const size_t blank = name.find_last_not_of("0123456789.");
  if (blank != name.npos && blank + 1 < name.size() && (name[blank] == ' ' || name[blank] == '\t'))
    name[blank] = '_';
}

}  // namespace skein
