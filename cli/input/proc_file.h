// Reads files of /proc: a file that cannot be read is empty.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace skein::cli {

inline std::string first_line(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

// Calls `visit` with the rest of each line that begins with `key`, such as "State:".
template <class Visit>
void each_value(const std::filesystem::path& file, std::string_view key, Visit visit) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(key)) visit(line.substr(key.size()));
}

}  // namespace skein::cli
