#include "base/text.h"

#include <algorithm>
#include <charconv>

#include "base/utf8.h"

namespace skein {

namespace {

constexpr std::string_view replacement = "\xef\xbf\xbd";
constexpr std::string_view ellipsis = "\xe2\x80\xa6";

// Characters as wide as they are high: CJK, Hangul, fullwidth forms, emoji.
bool is_wide(uint32_t c) {
  const auto in = [c](uint32_t from, uint32_t to) { return c >= from && c <= to; };
  return in(0x1100, 0x115f) || in(0x2e80, 0xa4cf) || in(0xac00, 0xd7a3) || in(0xf900, 0xfaff) ||
         in(0xfe30, 0xfe6f) || in(0xff00, 0xff60) || in(0xffe0, 0xffe6) || in(0x1f300, 0x1faff) ||
         in(0x20000, 0x3fffd);
}

bool is_combining(uint32_t c) {
  const auto in = [c](uint32_t from, uint32_t to) { return c >= from && c <= to; };
  return in(0x300, 0x36f) || in(0x483, 0x489) || in(0x591, 0x5bd) || in(0x610, 0x61a) ||
         in(0x64b, 0x65f) || in(0x1ab0, 0x1aff) || in(0x1dc0, 0x1dff) || in(0x20d0, 0x20ff) ||
         in(0xfe20, 0xfe2f);
}

struct Character {
  size_t bytes = 0, cells = 0;
};

// Returns the size of the first character. Precondition: `text` is not empty.
Character first_character(std::string_view text) {
  const CodePoint point = decode_utf8(text);
  if (point.size == 0) return {1, 1};
  return {point.size, static_cast<size_t>(terminal_cells(point.code))};
}

void append_padded(std::string& out, uint64_t number, size_t digits) {
  const std::string text = std::to_string(number);
  if (text.size() < digits) out.append(digits - text.size(), '0');
  out += text;
}

// Formats number / 10^decimals, with `decimals` digits after the point.
std::string decimal(uint64_t number, int decimals) {
  uint64_t one = 1;
  for (int i = 0; i < decimals; i++) one *= 10;
  std::string text = std::to_string(number / one);
  if (decimals == 0) return text;
  text += '.';
  append_padded(text, number % one, static_cast<size_t>(decimals));
  return text;
}

// Formats a value with three digits: "1.25", "12.5", "125", "1250". Precondition: value is at least
// 0 and less than 10^6.
std::string three_digits(double value) {
  const auto rounded = [&](double factor) { return static_cast<uint64_t>(value * factor + 0.5); };
  if (rounded(100) < 1000) return decimal(rounded(100), 2);
  if (rounded(10) < 1000) return decimal(rounded(10), 1);
  return std::to_string(rounded(1));
}

struct Unit {
  double size;
  std::string_view name;
};

// Returns the number of decimals that represent `step` in this unit (both in ns).
int decimals_for(int64_t step, int64_t unit) {
  int decimals = 0;
  for (; decimals < 9 && unit > 1 && step % unit != 0; decimals++) unit /= 10;
  return decimals;
}

}  // namespace

int terminal_cells(uint32_t code) { return is_combining(code) ? 0 : is_wide(code) ? 2 : 1; }

size_t terminal_cells(std::string_view text) {
  size_t cells = 0;
  while (!text.empty()) {
    const Character first = first_character(text);
    cells += first.cells;
    text.remove_prefix(first.bytes);
  }
  return cells;
}

std::string_view first_cells(std::string_view text, size_t cells) {
  for (size_t at = 0; at < text.size();) {
    const Character next = first_character(text.substr(at));
    if (next.cells > cells) return text.substr(0, at);
    cells -= next.cells;
    at += next.bytes;
  }
  return text;
}

std::string_view last_cells(std::string_view text, size_t cells) {
  size_t all = terminal_cells(text);
  while (!text.empty()) {
    const Character first = first_character(text);
    // A combining mark belongs to the character before it.
    if (all <= cells && first.cells > 0) break;
    all -= first.cells;
    text.remove_prefix(first.bytes);
  }
  return text;
}

std::string safe_text(std::string_view text, size_t longest) {
  // More combining marks on a character would cover the rows above and below.
  constexpr size_t most_marks = 4;
  // Fast path: nearly every string is printable ASCII.
  const auto plain = static_cast<size_t>(
      std::find_if(text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }) -
      text.begin());
  if (plain == text.size() && plain <= longest) return std::string(text);
  std::string safe;
  size_t marks = 0;
  while (!text.empty()) {
    const CodePoint point = decode_utf8(text);
    const size_t size = point.size ? point.size : 1;
    marks = point.size && is_combining(point.code) ? marks + 1 : 0;
    const bool good = point.size && !is_hidden(point.code) && marks <= most_marks;
    const std::string_view shown = good ? text.substr(0, size) : replacement;
    if (safe.size() + shown.size() > longest) return safe += ellipsis;
    safe += shown;
    text.remove_prefix(size);
  }
  return safe;
}

void append_number(std::string& out, uint64_t number) {
  char digits[20];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

void append_signed(std::string& out, int64_t number) {
  char digits[20];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

void append_seconds(std::string& out, uint64_t nanoseconds) {
  append_number(out, nanoseconds / 1'000'000'000);
  char fraction[10] = ".";
  uint64_t rest = nanoseconds % 1'000'000'000;
  for (int i = 9; i >= 1; i--, rest /= 10) fraction[i] = static_cast<char>('0' + rest % 10);
  out.append(fraction, 10);
}

std::string seconds(uint64_t nanoseconds) {
  std::string out;
  append_seconds(out, nanoseconds);
  return out;
}

std::string grouped(uint64_t number) {
  std::string out;
  append_number(out, number);
  for (size_t at = out.size(); at > 3;) out.insert(at -= 3, 1, ',');
  return out;
}

std::string address_text(uint64_t address) {
  std::string digits;
  do digits += "0123456789abcdef"[address % 16];
  while ((address /= 16) != 0);
  return "0x" + std::string(digits.rbegin(), digits.rend());
}

std::string counted(uint64_t count, std::string_view noun) {
  return counted(count, noun, std::string(noun) + 's');
}

std::string counted(uint64_t count, std::string_view noun, std::string_view nouns) {
  return grouped(count).append(" ").append(count == 1 ? noun : nouns);
}

std::string duration_text(double ns) {
  if (!(ns >= 0)) return ns < 0 ? "-" + duration_text(-ns) : "?";
  static constexpr Unit units[] = {{86400e9, " d"}, {3600e9, " h"}, {60e9, " min"},
                                   {1e9, " s"},     {1e6, " ms"},   {1e3, " us"}};
  if (ns > 1e24) return "for ever";
  for (const Unit& unit : units) {
    // Minutes and larger units only where seconds would need four digits.
    if (ns >= unit.size * 0.9995 && (unit.size <= 1e9 || ns >= 999.5e9))
      return three_digits(ns / unit.size).append(unit.name);
  }
  return std::to_string(static_cast<uint64_t>(ns + 0.5)) + " ns";
}

std::string duration_text(uint64_t ns) { return duration_text(static_cast<double>(ns)); }

std::string count_text(int64_t value) {
  const uint64_t size = value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  const std::string sign = value < 0 ? "-" : "";
  if (size < 10'000) return sign + std::to_string(size);
  static constexpr Unit units[] = {{1e18, " E"}, {1e15, " P"}, {1e12, " T"},
                                   {1e9, " G"},  {1e6, " M"},  {1e3, " k"}};
  for (const Unit& unit : units)
    if (const auto number = static_cast<double>(size); number >= unit.size * 0.9995)
      return (sign + three_digits(number / unit.size)).append(unit.name);
  return sign + std::to_string(size);
}

std::string time_text(int64_t ns, int64_t step) {
  const std::string sign = ns < 0 ? "-" : "";
  const uint64_t size = ns < 0 ? 0 - static_cast<uint64_t>(ns) : static_cast<uint64_t>(ns);
  int64_t unit = 1;
  std::string_view name = " ns";
  if (size >= 1'000'000'000 || step >= 1'000'000'000) {
    unit = 1'000'000'000;
    name = " s";
  } else if (size >= 1'000'000 || step >= 1'000'000) {
    unit = 1'000'000;
    name = " ms";
  } else if (size >= 1000 || step >= 1000) {
    unit = 1000;
    name = " us";
  }
  const int decimals = decimals_for(std::max<int64_t>(step, 1), unit);
  uint64_t drop = static_cast<uint64_t>(unit);
  for (int i = 0; i < decimals; i++) drop /= 10;
  return (sign + decimal(size / drop, decimals)).append(name);
}

namespace {

// Returns "2014-12-03 10:00:00.123", with the character `between` between date and time.
std::string date_and_time(int64_t ns_since_1970, int64_t step, char between) {
  constexpr int64_t day = 86'400'000'000'000;
  int64_t days = ns_since_1970 / day;
  int64_t rest = ns_since_1970 % day;
  if (rest < 0) {
    rest += day;
    days--;
  }
  // Howard Hinnant's civil_from_days algorithm: years begin in March, eras have 400 years.
  days += 719'468;
  const int64_t era = (days >= 0 ? days : days - 146'096) / 146'097;
  const int64_t of_era = days - era * 146'097;
  const int64_t year_of_era = (of_era - of_era / 1460 + of_era / 36'524 - of_era / 146'096) / 365;
  const int64_t of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const int64_t shifted_month = (5 * of_year + 2) / 153;
  const int64_t month = shifted_month < 10 ? shifted_month + 3 : shifted_month - 9;
  const int64_t year = year_of_era + era * 400 + (month <= 2 ? 1 : 0);
  std::string text;
  append_padded(text, static_cast<uint64_t>(std::max<int64_t>(year, 0)), 4);
  const auto part = [&](char before, int64_t number, size_t digits) {
    text += before;
    append_padded(text, static_cast<uint64_t>(number), digits);
  };
  part('-', month, 2);
  part('-', of_year - (153 * shifted_month + 2) / 5 + 1, 2);
  const int64_t seconds = rest / 1'000'000'000;
  part(between, seconds / 3600, 2);
  part(':', seconds / 60 % 60, 2);
  part(':', seconds % 60, 2);
  const int decimals = decimals_for(std::max<int64_t>(step, 1), 1'000'000'000);
  if (decimals > 0) {
    int64_t drop = 1'000'000'000;
    for (int i = 0; i < decimals; i++) drop /= 10;
    part('.', rest % 1'000'000'000 / drop, static_cast<size_t>(decimals));
  }
  return text;
}

}  // namespace

std::string utc_text(int64_t ns_since_1970, int64_t step) {
  return date_and_time(ns_since_1970, step, ' ') + " UTC";
}

std::string utc_clock_text(int64_t ns_since_1970, int64_t step) {
  const std::string text = date_and_time(ns_since_1970, step, ' ');
  return text.substr(text.find(' ') + 1);
}

std::string utc_iso_text(int64_t ns_since_1970) {
  return date_and_time(ns_since_1970, 1, 'T') + 'Z';
}

void append_columns(std::string& out, const std::vector<std::vector<std::string>>& lines,
                    std::string_view align, size_t indent) {
  std::vector<size_t> widths(align.size());
  for (const std::vector<std::string>& line : lines)
    for (size_t c = 0; c < align.size(); c++)
      widths[c] = std::max(widths[c], terminal_cells(line[c]));
  for (const std::vector<std::string>& line : lines) {
    out.append(indent, ' ');
    for (size_t c = 0; c < align.size(); c++) {
      const size_t padding = widths[c] - terminal_cells(line[c]);
      if (align[c] == '>') out.append(padding, ' ');
      out += line[c];
      if (align[c] == '<') out.append(padding, ' ');
      out += "  ";
    }
    while (out.ends_with(' ')) out.pop_back();
    out += '\n';
  }
}

void append_paragraph(std::string& out, std::string_view text, size_t indent, size_t columns) {
  columns = std::min(columns, most_columns);
  const size_t width = columns - std::min(columns, indent);
  size_t used = 0;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    const size_t cells = terminal_cells(word);
    if (used != 0 && used + 1 + cells > width) {
      out += '\n';
      used = 0;
    }
    out.append(used == 0 ? indent : 1, ' ');
    out += word;
    used += cells + 1;
  }
  out += '\n';
}

}  // namespace skein
