#include "base/escape.h"

#include <algorithm>
#include <cstdint>

#include "base/utf8.h"

namespace skein {

namespace {

constexpr char digits[] = "0123456789abcdef";

void append_hex(std::string& out, uint32_t number, int least) {
  int nibbles = 1;
  while (nibbles < 8 && number >> (4 * nibbles)) nibbles++;
  for (int i = (nibbles < least ? least : nibbles) - 1; i >= 0; i--)
    out += digits[number >> (4 * i) & 0xf];
}

void append_byte(std::string& out, char byte, std::string_view prefix) {
  out += prefix;
  append_hex(out, static_cast<uint8_t>(byte), 2);
}

// Whether the text is a decimal number without a sign. (libc++ for wasm has no from_chars for
// double.)
bool is_number(std::string_view text) {
  const auto skip_digits = [&text] {
    const size_t size = std::min(text.find_first_not_of("0123456789"), text.size());
    text.remove_prefix(size);
    return size;
  };
  size_t count = skip_digits();
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    count += skip_digits();
  }
  if (count == 0) return false;
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
    if (skip_digits() == 0) return false;
  }
  return text.empty();
}

// Where a spreadsheet may begin another cell, even within quotation marks, if it expects another
// separator than the comma: quotation marks enclose only a cell that begins with one.
constexpr std::string_view other_separators = ";\t\n";

// Whether a CSV cell with this text, up to the next separator, could be taken for a formula, or for
// one that was made harmless.
bool needs_apostrophe(std::string_view text) {
  // The last four are the full-width forms of the first four.
  constexpr std::string_view starts[] = {"=",  "+", "-",      "@",      "\t",     "\r",
                                         "\n", "'", "\uff1d", "\uff0b", "\uff0d", "\uff20"};
  // Some programs remove spaces and quotation marks first.
  text.remove_prefix(std::min(text.find_first_not_of(" \""), text.size()));
  bool starts_formula = false;
  for (const std::string_view start : starts) starts_formula |= text.starts_with(start);
  if (!starts_formula) return false;
  text = text.substr(0, text.find_first_of(other_separators, 1));
  return !is_number(text.substr(text[0] == '+' || text[0] == '-' ? 1 : 0));
}

}  // namespace

void append_escaped(std::string& out, std::string_view text) {
  while (!text.empty()) {
    const CodePoint decoded = decode_utf8(text);
    if (decoded.size == 0) {
      append_byte(out, text[0], "\\x");
      text.remove_prefix(1);
      continue;
    }
    const uint32_t code = decoded.code;
    if (code == '\n')
      out += "\\n";
    else if (code == '\t')
      out += "\\t";
    else if (code == '\\' || code == '"')
      (out += '\\') += static_cast<char>(code);
    else if (!is_hidden(code))
      out += text.substr(0, decoded.size);
    else if (code < 0x80)
      append_byte(out, text[0], "\\x");
    else {
      out += "\\u{";
      append_hex(out, code, 4);
      out += '}';
    }
    text.remove_prefix(decoded.size);
  }
}

std::string escaped(std::string_view text) {
  std::string out;
  append_escaped(out, text);
  return out;
}

void append_json(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    const CodePoint decoded = decode_utf8(text);
    if (decoded.size == 0) {
      append_byte(out, text[0], "\\\\x");
      text.remove_prefix(1);
      continue;
    }
    const uint32_t code = decoded.code;
    if (code == '\\' || code == '"') {
      (out += '\\') += static_cast<char>(code);
    } else if (!is_hidden(code)) {
      out += text.substr(0, decoded.size);
    } else if (code < 0x10000) {
      out += "\\u";
      append_hex(out, code, 4);
    } else {
      const uint32_t pair = code - 0x10000;
      out += "\\u";
      append_hex(out, 0xd800 + (pair >> 10), 4);
      out += "\\u";
      append_hex(out, 0xdc00 + (pair & 0x3ff), 4);
    }
    text.remove_prefix(decoded.size);
  }
  out += '"';
}

void append_csv(std::string& out, std::string_view text) {
  std::string cell = needs_apostrophe(text) ? "'" : "";
  bool is_quoted = text.empty() || text.starts_with(' ') || text.ends_with(' ');
  while (!text.empty()) {
    const CodePoint point = decode_utf8(text);
    const size_t size = point.size == 0 ? 1 : point.size;
    const std::string_view character = text.substr(0, size);
    const bool is_blank = character == "\t" || character == "\n";
    const bool is_separator = other_separators.find(character) != std::string_view::npos;
    is_quoted |= is_separator || character == "," || character == "\"";
    if (character == "\"")
      cell += "\"\"";
    else if (point.size == 0 || (!is_blank && is_hidden(point.code)))
      append_escaped(cell, character);
    else
      cell += character;
    text.remove_prefix(size);
    if (is_separator && needs_apostrophe(text)) cell += '\'';
  }
  if (is_quoted) out += '"';
  out += cell;
  if (is_quoted) out += '"';
}

void append_xml(std::string& out, std::string_view text) {
  const auto is_plain = [](char c) {
    return c >= 0x20 && c < 0x7f && c != '&' && c != '<' && c != '>' && c != '"';
  };
  while (!text.empty()) {
    const auto special = std::find_if_not(text.begin(), text.end(), is_plain);
    const auto plain = static_cast<size_t>(special - text.begin());
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) return;
    const CodePoint next = decode_utf8(text);
    const std::string_view bytes = text.substr(0, std::max<size_t>(next.size, 1));
    text.remove_prefix(bytes.size());
    const uint32_t c = next.code;
    const bool is_control = (c < 0x20 && c != '\n' && c != '\t') || (c >= 0x7f && c < 0xa0);
    if (next.size == 0 || is_control || c == 0xfffe || c == 0xffff)
      for (const char byte : bytes) append_byte(out, byte, "\\x");
    else if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else
      out += bytes;
  }
}

std::string valid_utf8(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const CodePoint decoded = decode_utf8(text);
    if (decoded.size == 0)
      append_byte(out, text[0], "\\x");
    else
      out += text.substr(0, decoded.size);
    text.remove_prefix(decoded.size ? decoded.size : 1);
  }
  return out;
}

}  // namespace skein
