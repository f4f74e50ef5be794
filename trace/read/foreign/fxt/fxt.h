// Reads a trace in the Fuchsia trace format (wire.h) from the bytes of its file, regardless of the
// writer (meaning.h).
//
// Damage is skipped and listed in Trace::losses (read_records.h). Never fails.
#pragma once

#include <cstdint>
#include <span>

#include "trace/read/progress.h"
#include "trace/read/trace.h"

namespace skein::fxt {

Trace read(std::span<const uint8_t> file, const Progress& progress = {});

}  // namespace skein::fxt
