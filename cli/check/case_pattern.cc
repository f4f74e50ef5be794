#include "cli/check/case_pattern.h"

#include <algorithm>

namespace skein::cli {

namespace {

constexpr std::string_view negation = "exclude:";

char lower(char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c); }

bool selects(std::string_view pattern, std::string_view name, bool ignores_case) {
  return std::equal(pattern.begin(), pattern.end(), name.begin(), name.end(), [&](char a, char b) {
    return a == '?' || (a != '*' && (ignores_case ? lower(a) == lower(b) : a == b));
  });
}

}  // namespace

std::string glob_of(std::string_view name, std::string_view special) {
  std::string pattern(name);
  for (char& c : pattern)
    if (special.find(c) != special.npos) c = '?';
  return pattern;
}

const std::string* also_selected(std::string_view pattern, std::string_view name,
                                 const std::vector<std::string>& names, bool ignores_case) {
  for (const std::string& other : names)
    if (other != name && selects(pattern, other, ignores_case)) return &other;
  return nullptr;
}

std::vector<std::string> catch_patterns(std::string_view name) {
  std::string with_stars(name);
  // Only the outermost one is the wildcard.
  if (with_stars.starts_with('*')) with_stars.insert(0, "*");
  if (with_stars.ends_with('*')) with_stars += '*';
  // Case is ignored in a name, but not in this word, which has no escape.
  if (with_stars.starts_with(negation)) with_stars[0] = 'E';
  std::string plain;
  std::string quoted = "\"";
  bool is_in_name = false;  // after an escape at the beginning, the parser still expects a pattern
  for (const char c : with_stars) {
    const bool is_special = std::string_view(",[]\"\\").find(c) != std::string_view::npos ||
                            (!is_in_name && (c == '~' || c == ' ')) || (plain.empty() && c == '-');
    if (is_special) plain += '\\';
    plain += c;
    is_in_name = is_in_name || !is_special;
    if (c == ',' || c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  quoted += '"';
  // A pattern of nothing but escapes is dropped by 2.13: all tests run.
  if (!is_in_name) return {quoted, plain};
  return {plain, quoted};
}

bool is_plain_in_catch(std::string_view name, const std::vector<std::string>& names) {
  return name.find_first_of(",[]\"\\*") == name.npos && !name.starts_with('~') &&
         !name.starts_with('-') && !name.starts_with('#') && !name.starts_with(negation) &&
         also_selected(name, name, names, true) == nullptr;
}

}  // namespace skein::cli
