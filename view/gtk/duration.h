// Durations as people type them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace skein::desktop {

// "1.5 ms", "20us", "3 s", "700" (nanoseconds) -> nanoseconds. Empty for what is none.
std::optional<uint64_t> parse_duration(std::string_view text);

}  // namespace skein::desktop
