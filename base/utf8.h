// Code points of texts from outside: where one ends, and whether it may be shown.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace skein {

struct CodePoint {
  uint32_t code = 0;
  size_t size = 0;  // in bytes; 0: no UTF-8
};

// The code point at the beginning of `text`, which is not empty; overlong forms, surrogates and
// codes beyond Unicode are no UTF-8.
CodePoint decode_utf8(std::string_view text);

// Of a code point up to U+10FFFF.
void append_utf8(std::string& out, uint32_t code);

// Shows nothing, or changes how other characters are shown: controls, separators of lines,
// directions (bidi), joiners, fillers, variation selectors, tags, private use, non-characters.
bool is_hidden(uint32_t code);

}  // namespace skein
