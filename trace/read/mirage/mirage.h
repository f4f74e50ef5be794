// Reads a trace in mirage-profile's format (wire.h) from the bytes of its file.
//
// Packets are put in the order of their counts, for the ring may have wrapped. Whatever is damaged,
// cut or torn is passed over - at most up to the next packet, mostly only up to the next event -
// and listed in Trace::losses. Never fails on bytes that look_like_mirage accepted.
#pragma once

#include <cstdint>
#include <span>

#include "trace/read/progress.h"
#include "trace/read/trace.h"

namespace skein::mirage {

// Does a packet of this format begin right here? Tolerates a few damaged bytes.
bool looks_like_mirage(std::span<const uint8_t> bytes);

// Is there an undamaged packet header anywhere in it?
bool contains_mirage(std::span<const uint8_t> bytes);

Trace read(std::span<const uint8_t> file, const Progress& progress = {});

}  // namespace skein::mirage
