// The shapes of entries in debug information (.debug_abbrev). Attributes may have no bytes in an
// entry, so that a small file can have entries that take libdw any time to pass.
#pragma once

#include <cstdint>
#include <span>

namespace skein {

// Whether any table that a unit of `information` (.debug_info) refers to has a shape with more than
// 32 attributes without bytes (compilers write up to 15), or contradicts itself. A unit that is
// damaged ends the search. DWARF 5, section 7.5. O(bytes).
bool has_hostile_abbreviations(std::span<const uint8_t> information,
                               std::span<const uint8_t> abbreviations);

}  // namespace skein
