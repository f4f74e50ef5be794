#include "base/escape.h"

#include <cstdint>

namespace skein {

namespace {

constexpr char digits[] = "0123456789abcdef";

struct Decoded {
  uint32_t code;
  size_t size;  // 0: no UTF-8
};

// The code point at the beginning of `text`; overlong forms, surrogates and codes beyond Unicode
// are no UTF-8.
Decoded decode(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t first = byte(0);
  if (first < 0x80) return {first, 1};
  const size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || size > text.size()) return {0, 0};
  uint32_t code = first & (0xffu >> (size + 1));
  for (size_t i = 1; i < size; i++) {
    if ((byte(i) & 0xc0) != 0x80) return {0, 0};
    code = code << 6 | (byte(i) & 0x3fu);
  }
  constexpr uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < least[size] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return {0, 0};
  return {code, size};
}

// Shows nothing, or changes how other characters are shown: controls, separators of lines,
// directions (bidi), joiners, fillers, variation selectors, tags, private use, non-characters.
bool hidden(uint32_t c) {
  const auto in = [c](uint32_t from, uint32_t to) { return c >= from && c <= to; };
  return c < 0x20 || in(0x7f, 0x9f) || c == 0xad || c == 0x34f || c == 0x61c ||
         in(0x115f, 0x1160) || in(0x17b4, 0x17b5) || in(0x180b, 0x180f) || in(0x200b, 0x200f) ||
         in(0x2028, 0x202e) || in(0x2060, 0x206f) || c == 0x3164 || in(0xe000, 0xf8ff) ||
         in(0xfdd0, 0xfdef) || in(0xfe00, 0xfe0f) || c == 0xfeff || c == 0xffa0 ||
         in(0xfff0, 0xfffb) || (c & 0xfffe) == 0xfffe || in(0x1d173, 0x1d17a) || c >= 0xe0000;
}

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

}  // namespace

void append_escaped(std::string& out, std::string_view text) {
  while (!text.empty()) {
    const Decoded decoded = decode(text);
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
    else if (!hidden(code))
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
    const Decoded decoded = decode(text);
    if (decoded.size == 0) {
      append_byte(out, text[0], "\\\\x");
      text.remove_prefix(1);
      continue;
    }
    const uint32_t code = decoded.code;
    if (code == '\\' || code == '"') {
      (out += '\\') += static_cast<char>(code);
    } else if (!hidden(code)) {
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

std::string valid_utf8(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const Decoded decoded = decode(text);
    if (decoded.size == 0)
      append_byte(out, text[0], "\\x");
    else
      out += text.substr(0, decoded.size);
    text.remove_prefix(decoded.size ? decoded.size : 1);
  }
  return out;
}

}  // namespace skein
