#include "cli/print.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "cli/fail.h"

namespace skein::cli {

void Output::flush() {
  const bool written = std::fwrite(text_.data(), 1, text_.size(), file_) == text_.size();
  text_.clear();
  if (!written) fail(1, std::string("cannot write: ") + std::strerror(errno));
}

void Output::finish() {
  flush();
  if (std::fflush(file_) != 0) fail(1, std::string("cannot write: ") + std::strerror(errno));
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

void append_columns(std::string& out, const std::vector<std::vector<std::string>>& lines,
                    std::string_view align, size_t indent) {
  std::vector<size_t> widths(align.size());
  for (const std::vector<std::string>& line : lines)
    for (size_t c = 0; c < align.size(); c++) widths[c] = std::max(widths[c], line[c].size());
  for (const std::vector<std::string>& line : lines) {
    out.append(indent, ' ');
    for (size_t c = 0; c < align.size(); c++) {
      const size_t padding = widths[c] - line[c].size();
      if (align[c] == '>') out.append(padding, ' ');
      out += line[c];
      if (align[c] == '<') out.append(padding, ' ');
      out += "  ";
    }
    while (out.ends_with(' ')) out.pop_back();
    out += '\n';
  }
}

void append_paragraph(std::string& out, std::string_view text, size_t indent) {
  const size_t width = 100 - indent;
  size_t used = 0;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (used != 0 && used + 1 + word.size() > width) {
      out += '\n';
      used = 0;
    }
    out.append(used == 0 ? indent : 1, ' ');
    out += word;
    used += 1 + word.size();
  }
  out += '\n';
}

}  // namespace skein::cli
