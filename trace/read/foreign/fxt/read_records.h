// Reads the records of an FXT file (wire.h) and sorts them by time.
//
// Damage: after an invalid header, searches byte by byte for the next position where several
// records follow one another; omits a record whose contents do not fit. Both are listed as losses.
// An undefined string or thread is replaced, and reported once.
#pragma once

#include <cstdint>
#include <span>

#include "trace/read/foreign/slices/export_reader.h"
#include "trace/read/foreign/slices/records.h"
#include "trace/read/progress.h"
#include "trace/read/trace.h"

namespace skein::fxt {

// Passes the records to `export_reader`, which stores them. Fills in the losses, the strings and
// the counts of TraceInfo. TraceInfo::start is the time of the first record.
void read_records(std::span<const uint8_t> file, Trace& trace, Records& records,
                  ExportReader& export_reader, const Progress& progress);

// Whether `bytes` begins with consecutive records of this format. The end may be truncated.
bool looks_like_fxt(std::span<const uint8_t> bytes);

}  // namespace skein::fxt
