// Texts of the picture: how wide they are, how they are cut.
#pragma once

#include <string>
#include <string_view>

namespace skein {

// Width in pixels of a text of that height in the sans-serif fonts that shells use, from a table:
// exact enough to place labels, and the same everywhere.
float text_width(std::string_view text, float size);

// The longest beginning that fits, with an ellipsis if something is missing; empty when not even
// three characters would be left of it.
std::string fit_text(std::string_view text, float size, float width);

}  // namespace skein
