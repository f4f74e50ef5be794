#include "base/escape.h"

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
