// Code points of untrusted strings: their size, and whether they may be shown.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace skein {

struct CodePoint {
  uint32_t code = 0;
  size_t size = 0;  // in bytes; 0: not UTF-8
};

// Decodes the code point at the start of `text`. Precondition: not empty. Overlong forms,
// surrogates and values beyond Unicode are not UTF-8.
CodePoint decode_utf8(std::string_view text);

// Appends a code point. Precondition: at most U+10FFFF.
void append_utf8(std::string& out, uint32_t code);

// True if the code point is invisible or changes how others are shown: controls, line separators,
// bidirectional controls, joiners, fillers, variation selectors, tags, private use, non-characters.
bool is_hidden(uint32_t code);

}  // namespace skein
