// Text for an output that shows ASCII only: a terminal in the C locale, for instance.
#pragma once

#include <string>
#include <string_view>

namespace skein {

// UTF-8 with one ASCII character for each code point, so that columns keep their width: what skein draws
// with (lines, blocks, arrows, "…", "µ") as something similar, everything else, invalid bytes
// included, as '?'.
std::string ascii(std::string_view utf8);

}  // namespace skein
