// Sizes in bytes, as users type and read them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace skein {

// Returns a number of bytes: digits, and k, M, G or T (powers of 1024, also in the other case).
// Empty if the text is anything else, or if the size exceeds 64 bits.
std::optional<uint64_t> parse_size(std::string_view text);

// "999 bytes", "1.5 MiB", "16 GiB": rounded up to three digits, because sizes are limits and needs.
std::string size_text(uint64_t bytes);

}  // namespace skein
