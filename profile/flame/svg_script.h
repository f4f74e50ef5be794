// The script inside a flame graph, in JavaScript that a browser runs in an SVG of its own and in a
// page. It reads the boxes as they are drawn and keeps no copy of the tree.
#pragma once

#include <string_view>

namespace skein {

extern const std::string_view svg_script;

}  // namespace skein
