// Durations as people type them: in options, in SQL, in the window's filter. base/text.h prints
// them.
#pragma once

#include <optional>
#include <string_view>

namespace skein {

// In ns: "1.5s", "20 ms", "300us", "7ns", and every other unit that duration_text() prints ("min",
// "h", "d"). A number without a unit is in seconds. Empty for anything else; the result is finite
// and may be negative.
std::optional<double> parse_duration(std::string_view text);

}  // namespace skein
