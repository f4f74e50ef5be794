// Texts of the picture: measures and shortens them.
#pragma once

#include <string>
#include <string_view>

namespace skein {

// Width in pixels of a text of height `size` in the sans-serif fonts that the front ends use. It
// comes from a table: exact enough to place labels, and the same on every machine.
float text_width(std::string_view text, float size);

// Returns the longest prefix that fits, with an ellipsis if it is cut; empty if fewer than three
// characters would fit.
std::string fit_text(std::string_view text, float size, float width);

}  // namespace skein
