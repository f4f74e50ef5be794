#include "target/process_maps.h"

#include <algorithm>
#include <charconv>
#include <string>

namespace skein {

namespace {

// Removes a number and the character `after` it from the beginning of `text`.
bool take_number(std::string_view& text, uint64_t& number, char after) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, 16);
  if (error != std::errc() || end == text.data() + text.size() || *end != after) return false;
  text.remove_prefix(static_cast<size_t>(end + 1 - text.data()));
  return true;
}

void skip_word(std::string_view& text) {
  text.remove_prefix(std::min(text.find(' '), text.size()));
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
}

// The kernel writes a line feed in a name as \012, and a backslash as itself.
std::string unescaped(std::string_view name) {
  std::string text;
  for (size_t at = 0; at < name.size(); at++) {
    const bool is_escape = name.substr(at).starts_with("\\012");
    text += is_escape ? '\n' : name[at];
    if (is_escape) at += 3;
  }
  return text;
}

bool read_line(std::string_view line, Mapping& mapping) {
  if (!take_number(line, mapping.begin, '-') || !take_number(line, mapping.end, ' ') ||
      mapping.end <= mapping.begin || line.size() < 5)
    return false;
  mapping.readable = line[0] == 'r';
  mapping.writable = line[1] == 'w';
  mapping.executable = line[2] == 'x';
  mapping.shared = line[3] == 's';
  line.remove_prefix(5);
  if (!take_number(line, mapping.offset, ' ')) return false;
  skip_word(line);  // device
  skip_word(line);  // inode
  constexpr std::string_view gone = " (deleted)";
  mapping.deleted = line.ends_with(gone);
  if (mapping.deleted) line.remove_suffix(gone.size());
  mapping.file = unescaped(line);
  return true;
}

}  // namespace

std::vector<Mapping> read_maps(std::string_view text) {
  std::vector<Mapping> mappings;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    Mapping mapping;
    if (read_line(line, mapping)) mappings.push_back(std::move(mapping));
  }
  return mappings;
}

}  // namespace skein
