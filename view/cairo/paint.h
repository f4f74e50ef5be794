// Paints a draw list with its texts on a cairo context: for PNG, PDF and GTK.
//
//   paint(list, theme, context);                // vectors: PDF, printers
//   paint_image(list, theme, 2, surface);       // pixels, 2 per unit: PNG, screens; far faster
//   write(to_png(list, theme, 1));
//
// Pango lays out the texts and finds a font for every script. Coordinates are the list's.
#pragma once

#include <cairo.h>

#include <string>

#include "view/draw/draw_list.h"
#include "view/draw/theme.h"

namespace skein {

void paint(const DrawList& list, const Theme& theme, cairo_t* context);

// Paints on an image surface of format ARGB32 or RGB24; shapes by paint_pixels(). `scale` is pixels
// per unit. Does nothing for any other surface.
void paint_image(const DrawList& list, const Theme& theme, double scale, cairo_surface_t* image);

// Return the bytes of a file; empty if cairo fails, as it does if the picture is too large for
// memory or wider than 32,767 pixels.
std::string to_png(const DrawList& list, const Theme& theme, double scale);
std::string to_pdf(const DrawList& list, const Theme& theme, std::string_view title);

}  // namespace skein
