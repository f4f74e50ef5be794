#include "base/utf8.h"

namespace skein {

CodePoint decode_utf8(std::string_view text) {
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

void append_utf8(std::string& out, uint32_t code) {
  const auto low = [&](unsigned shift) { out += static_cast<char>(0x80 | (code >> shift & 0x3f)); };
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xc0 | code >> 6);
    low(0);
  } else if (code < 0x10000) {
    out += static_cast<char>(0xe0 | code >> 12);
    low(6), low(0);
  } else {
    out += static_cast<char>(0xf0 | code >> 18);
    low(12), low(6), low(0);
  }
}

bool is_hidden(uint32_t c) {
  const auto in = [c](uint32_t from, uint32_t to) { return c >= from && c <= to; };
  return c < 0x20 || in(0x7f, 0x9f) || c == 0xad || c == 0x34f || c == 0x61c ||
         in(0x115f, 0x1160) || in(0x17b4, 0x17b5) || in(0x180b, 0x180f) || in(0x200b, 0x200f) ||
         in(0x2028, 0x202e) || in(0x2060, 0x206f) || c == 0x3164 || in(0xe000, 0xf8ff) ||
         in(0xfdd0, 0xfdef) || in(0xfe00, 0xfe0f) || c == 0xfeff || c == 0xffa0 ||
         in(0xfff0, 0xfffb) || (c & 0xfffe) == 0xfffe || in(0x1d173, 0x1d17a) || c >= 0xe0000;
}

}  // namespace skein
