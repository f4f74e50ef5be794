// The legend of a picture in the terminal: explains the symbols that occur in it.
//
//   TerminalLegend legend;
//   legend.add(list);                                // for each part of the picture
//   out += legend.text(theme, columns, colours);
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "view/paint/paint.h"

namespace skein::cli {

class TerminalLegend {
 public:
  void add(const DrawList& list);

  // Returns the legend, in as many lines as necessary.
  std::string text(const Theme& theme, uint32_t columns, TerminalColours colours) const;

  // The number of lines of the longest possible legend.
  static uint32_t most_lines(uint32_t columns, TerminalColours colours);

 private:
  std::array<bool, inks> occurs_{};
};

}  // namespace skein::cli
