// Reads a trace in mirage-profile's format (wire.h) from the bytes of its file.
//
// Packets are sorted by their counts, since the ring may have wrapped. Anything damaged, truncated
// or torn is skipped - at most up to the next packet, usually only up to the next event - and
// listed in Trace::losses. Never fails on bytes that look_like_mirage accepted.
#pragma once

#include <cstdint>
#include <span>

#include "trace/read/progress.h"
#include "trace/read/trace.h"

namespace skein::mirage {

// Whether `bytes` begins with a packet of this format. Tolerates a few damaged bytes.
bool looks_like_mirage(std::span<const uint8_t> bytes);

// Whether `bytes` contains an undamaged packet header anywhere.
bool contains_mirage(std::span<const uint8_t> bytes);

Trace read(std::span<const uint8_t> file, const Progress& progress = {});

}  // namespace skein::mirage
