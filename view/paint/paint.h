// Paints a draw list as pixels, SVG, or characters in a terminal.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "view/draw/draw_list.h"
#include "view/draw/theme.h"

namespace skein {

// Paints everything but texts, which the front end paints (it has the fonts). `pixels` has width *
// height words 0xAARRGGBB, in memory order B G R A (cairo) or R G B A (the browser's ImageData).
// Edges are anti-aliased. `scale` is device pixels per unit of the list. Existing pixels are
// treated as opaque, and are opaque afterwards.
enum class PixelOrder : uint8_t { Bgra, Rgba };
void paint_pixels(const DrawList& list, const Theme& theme, PixelOrder order, float scale,
                  uint32_t width, uint32_t height, std::span<uint32_t> pixels);
// Paints only the primitives from `first` to before `last`, for a front end that paints texts in
// between.
void paint_pixels(const DrawList& list, size_t first, size_t last, const Theme& theme,
                  PixelOrder order, float scale, uint32_t width, uint32_t height,
                  std::span<uint32_t> pixels);

// A self-contained document with titles on hover. Texts are escaped; loads no other resources.
std::string to_svg(const DrawList& list, const Theme& theme, std::string_view title);

// For a terminal of `columns` characters. A cell is 8 x 16 units of the list, so draw it with a
// window of 8 * columns, rows of 16 and upper edges at multiples of 16. Each line ends with a
// newline and contains only printable characters and, with colours, escape sequences that set them.
// It is readable without colours: a bar is a line, an activation a block.
enum class TerminalColours : uint8_t { None, Few, All };  // Few: 256, All: 24 bits
std::string to_terminal(const DrawList& list, const Theme& theme, uint32_t columns,
                        TerminalColours colours);

}  // namespace skein
