#include "base/ascii.h"

#include "base/utf8.h"

namespace skein {

namespace {

// Converts a box-drawing character, U+2500 to U+257F.
char box_character(uint32_t code) {
  switch (code) {
    case 0x2500:
    case 0x2504:
    case 0x2508:
    case 0x254c:
    case 0x2574:
    case 0x2576:
      return '-';
    case 0x2501:
    case 0x2505:
    case 0x2509:
    case 0x254d:
    case 0x2550:
    case 0x2578:
    case 0x257a:
    case 0x257c:
    case 0x257e:
      return '=';
    case 0x2502:
    case 0x2503:
    case 0x2506:
    case 0x2507:
    case 0x250a:
    case 0x250b:
    case 0x254e:
    case 0x254f:
    case 0x2551:
    case 0x2575:
    case 0x2577:
    case 0x2579:
    case 0x257b:
    case 0x257d:
    case 0x257f:
      return '|';
    default:
      return '+';
  }
}

char ascii_character(uint32_t code) {
  if (code < 0x80) return static_cast<char>(code);
  if (code >= 0x2500 && code < 0x2580) return box_character(code);
  if (code >= 0x2580 && code < 0x2591) return '#';  // parts of a block
  if (code >= 0x2591 && code < 0x2594) return ':';  // shades
  if (code == 0x2594 || code == 0x2595) return '#';
  if (code > 0x2800 && code < 0x2900) return '*';  // dots of a counter
  switch (code) {
    case 0xa0:    // no-break space
    case 0x2800:  // no dots
      return ' ';
    case 0xb5:  // micro
      return 'u';
    case 0xb7:  // middle dot
      return '.';
    case 0x2013:
    case 0x2014:  // dashes
      return '-';
    case 0x2026:  // ellipsis
      return '~';
    case 0x2717:  // cross
      return 'x';
    case 0x2190:
    case 0x25c4:
      return '<';
    case 0x2192:
    case 0x25b8:
    case 0x25ba:
      return '>';
    case 0x2191:
    case 0x25b2:
      return '^';
    case 0x2193:
    case 0x25bc:
      return 'v';
    default:
      return '?';
  }
}

}  // namespace

std::string ascii(std::string_view utf8) {
  std::string out;
  out.reserve(utf8.size());
  while (!utf8.empty()) {
    const CodePoint point = decode_utf8(utf8);
    out += point.size == 0 ? '?' : ascii_character(point.code);
    utf8.remove_prefix(point.size == 0 ? 1 : point.size);
  }
  return out;
}

}  // namespace skein
