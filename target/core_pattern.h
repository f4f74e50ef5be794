// Where the kernel writes cores: the text in /proc/sys/kernel/core_pattern (core(5)).
//
//   if (const std::optional<CorePattern> pattern = parse_core_pattern("/cores/core.%e.%p"))
//     for (name in pattern->folder) if (pattern->has(name)) ...
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace skein {

struct CorePattern {
  std::string folder = {};  // empty: that of the process
  std::string names = {};   // as for fnmatch(3)
  bool has(const std::string& name) const;
};

// Nothing: a program receives the cores (systemd-coredump, apport), or the folder's name depends on
// the process.
std::optional<CorePattern> parse_core_pattern(std::string_view text);

}  // namespace skein
