#include "profile/flame/harmless.h"

#include "base/escape.h"

namespace skein {

std::string harmless(std::string_view name) {
  std::string out;
  while (true) {
    const size_t plain = name.find_first_of("\\\"");
    append_escaped(out, name.substr(0, plain));
    if (plain == name.npos) return out;
    out += name[plain];
    name.remove_prefix(plain + 1);
  }
}

}  // namespace skein
