#include "view/draw/text.h"

#include <array>

#include "base/text.h"
#include "base/utf8.h"

namespace skein {

namespace {

constexpr std::string_view ellipsis = "\xe2\x80\xa6";

// Widths of the characters from blank to ~ in 1/1000 of the height, for DejaVu Sans: the widest of
// the fonts that the front ends use, so that a label never needs more room than was reserved.
constexpr std::array<uint16_t, 95> widths = {
    318,  401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337,  //  !"#...
    636,  636, 636, 636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531,  // 0123...
    1000, 684, 686, 698, 770, 632, 575, 775, 752, 295, 295, 656, 557, 863, 748, 787,  // @ABC...
    603,  787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838, 500,  // PQRS...
    500,  613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612,  // `abc...
    635,  635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838};      // pqrs...

uint32_t width_of(uint32_t code) {
  if (code >= 0x20 && code < 0x7f) return widths[code - 0x20];
  if (code == 0x2026) return 1000;
  const int cells = terminal_cells(code);
  return cells == 0 ? 0 : cells == 2 ? 1000 : code == 0xfffd ? 1025 : 650;
}

// Calls use(code, size) for each character until it returns false. Invalid UTF-8 counts as U+FFFD.
template <typename Use>
void each_character(std::string_view text, const Use& use) {
  while (!text.empty()) {
    const CodePoint point = decode_utf8(text);
    const size_t size = point.size ? point.size : 1;
    if (!use(point.size ? point.code : 0xfffd, size)) return;
    text.remove_prefix(size);
  }
}

float scaled(uint64_t thousandths, float size) {
  return static_cast<float>(thousandths) * size / 1000.0f;
}

}  // namespace

float text_width(std::string_view text, float size) {
  uint64_t width = 0;
  each_character(text, [&](uint32_t code, size_t) {
    width += width_of(code);
    return true;
  });
  return scaled(width, size);
}

std::string fit_text(std::string_view text, float size, float width) {
  uint64_t sum = 0;
  size_t bytes = 0;      // of the text that fits
  size_t shortened = 0;  // of the text that fits with an ellipsis
  size_t characters = 0;
  each_character(text, [&](uint32_t code, size_t count) {
    sum += width_of(code);
    if (scaled(sum, size) > width) return false;
    bytes += count;
    if (scaled(sum + width_of(0x2026), size) <= width) {
      shortened = bytes;
      characters++;
    }
    return true;
  });
  if (bytes == text.size()) return std::string(text);
  if (characters < 3) return {};
  return std::string(text.substr(0, shortened)) += ellipsis;
}

}  // namespace skein
