// Reads JSON in the trace event format: an object with "traceEvents", or the array alone, which
// need not be closed. Its phases are those of FXT, hence so is what they mean
// (trace/read/slices/meaning.h); a file that `skein export chrome` wrote comes back whole.
//
//   B E X              slices of a thread (process pid, thread tid)
//   b n e              async slices, by category, scope and id (and process, if that is id2.local)
//   S T F              the same, by name, too
//   s t f              flows, by category, name and id
//   i I R              instants
//   C                  counters: each number in args is one
//   M                  names of processes and threads; others are passed over, as are other phases
//
// Times are microseconds, and are kept to the nanosecond. An event whose time is not known is left
// out. Where the text is no JSON reading goes on at the next event. Whatever is passed over is
// listed as a loss, at its place or, by what it is, with the count and the first one's place.
//
// Memory is that of the records (56 bytes an event) and then of the columns; of what skein wrote of
// the columns alone (trace/read/slices/own.h).
#pragma once

#include <cstdint>
#include <span>

#include "trace/read/progress.h"
#include "trace/read/trace.h"

namespace skein::chrome {

// Does this beginning of a file look like it?
bool looks_like_chrome(std::span<const uint8_t> bytes);

Trace read(std::span<const uint8_t> file, const Progress& progress = {});

}  // namespace skein::chrome
