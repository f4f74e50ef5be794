#include "target/core_pattern.h"

#include <fnmatch.h>

namespace skein {

bool CorePattern::has(const std::string& name) const {
  // With kernel.core_uses_pid, ".PID" follows.
  return fnmatch(names.c_str(), name.c_str(), 0) == 0 ||
         fnmatch((names + ".*").c_str(), name.c_str(), 0) == 0;
}

std::optional<CorePattern> parse_core_pattern(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  if (text.empty() || text.starts_with('|') || text.starts_with('@')) return {};
  const size_t slash = text.rfind('/');
  const std::string_view folder =
      slash == std::string_view::npos ? std::string_view() : text.substr(0, slash + 1);
  if (folder.find('%') != std::string_view::npos) return {};
  CorePattern pattern{.folder = std::string(folder)};
  const std::string_view name = text.substr(folder.size());
  for (size_t i = 0; i < name.size(); i++) {
    const bool is_specifier = name[i] == '%' && i + 1 < name.size() && name[i + 1] != '%';
    if (name[i] == '%') i++;
    if (i >= name.size()) break;  // the kernel drops a single % at the end
    if (is_specifier) {
      pattern.names += '*';
    } else {
      if (std::string_view("*?[]\\").find(name[i]) != std::string_view::npos) pattern.names += '\\';
      pattern.names += name[i];
    }
  }
  return pattern;
}

}  // namespace skein
