// Reads JSON in the trace event format: an object with "traceEvents", or a bare array, whose
// closing bracket may be missing. The phases correspond to those of FXT, and so do their meanings
// (trace/read/foreign/slices/meaning.h). A file that `skein export chrome` wrote is restored
// completely.
//
//   B E X              slices of a thread (process pid, thread tid)
//   b n e              async slices, by category, scope and id (and process, if that is id2.local)
//   S T F              the same, keyed by name as well
//   s t f              flows, by category, name and id
//   i I R              instants
//   C                  counters: each number in args is one counter
//   M                  names of processes and threads; other metadata and phases are skipped
//
// Times are microseconds and are kept to the nanosecond. An event without a valid time is omitted.
// After invalid JSON, reading resumes at the next event. Whatever is skipped is listed as a loss:
// either at its position, or counted per kind with the position of the first.
//
// Memory: the records (56 bytes per event), then the columns. For a file that skein wrote, only the
// columns (trace/read/foreign/slices/export_reader.h).
#pragma once

#include <cstdint>
#include <span>

#include "trace/read/progress.h"
#include "trace/read/trace.h"

namespace skein::chrome {

// Whether a file that begins with these bytes looks like Chrome JSON.
bool looks_like_chrome(std::span<const uint8_t> bytes);

Trace read(std::span<const uint8_t> file, const Progress& progress = {});

}  // namespace skein::chrome
