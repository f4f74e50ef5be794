// Reads JSON in the trace event format: an object with "traceEvents", or the array alone, which
// need not be closed. Its phases are those of FXT, hence so is what they mean (fxt/meaning.h); a
// file that `skein export chrome` wrote comes back whole.
//
//   B E X              slices of a thread (process pid, thread tid)
//   b n e, S T F       async slices, by process, category and id
//   s t f              flows
//   i I R              instants
//   C                  counters: each number in args is one
//   M                  names of processes and threads; others are passed over, as are other phases
//
// Times are microseconds, and are kept to the nanosecond. Where the text stops to be JSON reading
// ends, and that is listed as a loss.
#pragma once

#include <cstdint>
#include <span>

#include "trace/read/reader.h"

namespace skein::chrome {

// Does this beginning of a file look like it?
bool looks_like_chrome(std::span<const uint8_t> bytes);

Trace read(std::span<const uint8_t> file, const Progress& progress = {});

}  // namespace skein::chrome
