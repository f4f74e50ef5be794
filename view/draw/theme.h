// The colour of each ink. The colours of the themes named colour-blind are distinguishable by
// people who cannot tell red from green. The contrast of texts is at least 4.5 to 1 (WCAG AA).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "view/draw/draw_list.h"

namespace skein {

struct Colour {
  uint8_t red = 0;
  uint8_t green = 0;
  uint8_t blue = 0;
};

struct Theme {
  std::string_view name;  // "light", "dark", "colour-blind", "colour-blind-dark"
  std::array<Colour, inks> colours;

  Colour operator[](Ink ink) const { return colours[static_cast<size_t>(ink)]; }
};

extern const std::array<Theme, 4> themes;
// Null if no theme has this name.
const Theme* find_theme(std::string_view name);

}  // namespace skein
