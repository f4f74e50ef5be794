// Text for output that can only show ASCII, such as a terminal in the C locale.
#pragma once

#include <string>
#include <string_view>

namespace skein {

// Returns one ASCII character per code point of `text`, so that columns keep their width. The
// lines, blocks, arrows, "…" and "µ" that skein prints become similar characters. All other code
// points and invalid bytes become '?'.
std::string ascii(std::string_view utf8);

}  // namespace skein
