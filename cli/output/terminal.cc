#include "cli/output/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <unordered_map>

#include "base/escape.h"
#include "base/text.h"

namespace skein::cli {

namespace {

std::string_view variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

uint32_t number(std::string_view text, uint32_t otherwise) {
  uint32_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9' || value > 10'000) return otherwise;
    value = value * 10 + static_cast<uint32_t>(c - '0');
  }
  return value == 0 ? otherwise : value;
}

// Returns where to break a line that is too wide: in a row of a table, at the last gap between
// columns if it is in the second half; else at the last blank that fits, or after a long word. npos
// if there is no such position.
size_t find_break(std::string_view line, size_t indent, size_t columns) {
  const size_t end = first_cells(line, columns).size();
  const size_t gap = line.rfind("  ", end == 0 ? 0 : end - 1);
  if (gap != std::string_view::npos && gap >= std::max(indent + 1, end / 2)) return gap;
  const size_t blank = line.rfind(' ', end);
  if (blank != std::string_view::npos && blank > indent) return blank;
  return line.find(' ', end);  // after a long word
}

size_t indent_of(std::string_view line) {
  return std::min(line.find_first_not_of(' '), line.size());
}

// False for a row of a table, whose columns are separated by two blanks.
bool is_prose(std::string_view line) {
  return line.find("  ", indent_of(line)) == std::string_view::npos;
}

// True if `next` continues the paragraph of `line`, which append_paragraph (base/text.h) wrapped.
bool continues_paragraph(std::string_view line, std::string_view next) {
  constexpr size_t paragraph_width = 100;
  const size_t indent = indent_of(next);
  if (indent == next.size() || indent != indent_of(line)) return false;
  const size_t word = std::min(next.find(' ', indent), next.size()) - indent;
  return is_prose(line) && is_prose(next) && line.size() + 2 + word > paragraph_width;
}

void add_wrapped(std::string& out, std::string_view line, size_t columns, size_t hanging) {
  const size_t first = indent_of(line);
  if (is_prose(line))
    hanging = first;
  else if (hanging == 0)
    hanging = first + 4;
  size_t indent = first;
  std::string prefix;
  while (prefix.size() + terminal_cells(line) > columns) {
    const size_t at = find_break(line, indent, columns - std::min(columns / 2, prefix.size()));
    if (at == std::string_view::npos) break;
    std::string_view piece = line.substr(0, at);
    while (piece.ends_with(' ')) piece.remove_suffix(1);
    ((out += prefix) += piece) += '\n';
    const size_t next = line.find_first_not_of(' ', at);
    if (next == std::string_view::npos) return;
    line.remove_prefix(next);
    prefix.assign(hanging, ' ');
    indent = 0;
  }
  (out += prefix) += line;
}

bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '_' || c == '-' || c == '+' || c == ':';
}

// Returns "file://host/path#7"; empty if the file does not exist on this machine.
std::string link_to(const std::string& file, uint32_t line) {
  std::error_code error;
  const auto path = std::filesystem::absolute(file, error);
  if (error || !std::filesystem::is_regular_file(path, error)) return "";
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) != 0) return "";
  std::string uri = "file://" + std::string(host.data());
  for (const char c : path.lexically_normal().string()) {
    constexpr std::string_view hex = "0123456789ABCDEF";
    const auto byte = static_cast<unsigned char>(c);
    if ((is_name(c) && c != ':') || c == '/')
      uri += c;
    else
      ((uri += '%') += hex[byte >> 4]) += hex[byte & 15];
  }
  return uri + '#' + std::to_string(line);
}

}  // namespace

bool locale_is_ascii() {
  for (const char* const name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    std::string locale(variable(name));
    if (locale.empty()) continue;
    for (char& c : locale) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return locale.find("utf-8") == std::string::npos && locale.find("utf8") == std::string::npos;
  }
  return false;
}

Terminal find_terminal(int fd) {
  Terminal terminal;
  terminal.is_terminal = isatty(fd);
  winsize size{};
  if (terminal.is_terminal && ioctl(fd, TIOCGWINSZ, &size) == 0) {
    if (size.ws_col != 0) terminal.columns = size.ws_col;
    if (size.ws_row != 0) terminal.lines = size.ws_row;
  }
  if (size.ws_col == 0) terminal.columns = number(variable("COLUMNS"), terminal.columns);
  if (size.ws_row == 0) terminal.lines = number(variable("LINES"), terminal.lines);
  const std::string_view kind = variable("TERM");
  terminal.has_links = terminal.is_terminal && !kind.empty() && kind != "dumb" && kind != "linux" &&
                       variable("SKEIN_HYPERLINKS") != "never";
  return terminal;
}

size_t text_columns() {
  const Terminal terminal = find_terminal();
  return terminal.is_terminal ? std::max<size_t>(terminal.columns, 40) : 100;
}

std::string message_line(std::string_view message) {
  const std::string line = "skein: " + escaped(message) + '\n';
  const Terminal terminal = find_terminal(STDERR_FILENO);
  return terminal.is_terminal ? wrapped(line, std::max<size_t>(terminal.columns, 40)) : line;
}

void report_message(std::string_view message) { std::fputs(message_line(message).c_str(), stderr); }

std::string wrapped(std::string_view text, size_t columns, size_t hanging) {
  std::string out;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.find('\n', begin), text.size());
    std::string line(text.substr(begin, end - begin));
    std::string_view last = text.substr(begin, end - begin);
    while (end < text.size() && terminal_cells(last) > columns) {
      const size_t next_end = std::min(text.find('\n', end + 1), text.size());
      const std::string_view next = text.substr(end + 1, next_end - end - 1);
      if (!continues_paragraph(last, next)) break;
      (line += ' ') += next.substr(indent_of(next));
      last = next;
      end = next_end;
    }
    add_wrapped(out, line, columns, hanging);
    if (end < text.size()) out += '\n';
    begin = end + 1;
  }
  return out;
}

std::string linked(std::string_view text, const Trace& trace) {
  std::unordered_map<std::string, std::string> targets;  // "arp.cc:7" -> its link
  for (const Location& location : trace.locations) {
    if (location.file == 0) continue;
    const std::string file(trace.strings[location.file]);
    const std::string shown =
        file.substr(file.rfind('/') + 1) + ':' + std::to_string(location.line);
    if (text.find(shown) == std::string_view::npos || targets.contains(shown)) continue;
    targets[shown] = link_to(file, location.line);
  }
  std::string out;
  for (size_t at = 0; at < text.size();) {
    size_t end = at;
    while (end < text.size() && is_name(text[end])) end++;
    std::string word(text.substr(at, end - at));
    while (word.ends_with(':') || word.ends_with('.')) word.pop_back();
    const auto found = targets.find(word);
    if (found != targets.end() && !found->second.empty())
      out += "\033]8;;" + found->second + "\033\\" + word + "\033]8;;\033\\";
    else
      out += word;
    at += word.size();
    if (word.empty()) out += text[at++];
  }
  return out;
}

std::string for_terminal(std::string text, const Trace& trace) {
  const Terminal terminal = find_terminal();
  if (!terminal.is_terminal) return text;
  text = wrapped(text, text_columns());
  return terminal.has_links ? linked(text, trace) : text;
}

}  // namespace skein::cli
