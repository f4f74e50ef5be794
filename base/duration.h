// Parses durations that users type: in options, in SQL, in the window's filter. base/text.h prints
// them.
#pragma once

#include <optional>
#include <string_view>

namespace skein {

// Returns a duration in ns: "1.5s", "20 ms", "300us", "7ns", or with another unit that
// duration_text() prints ("min", "h", "d"). A number without a unit is in seconds. The result is
// finite and may be negative; it is empty if the text is not a duration.
std::optional<double> parse_duration(std::string_view text);

}  // namespace skein
