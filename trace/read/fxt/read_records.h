// The records of an FXT file (wire.h), in the order of time.
//
// Damage: a header that cannot be one is searched behind, byte by byte, for the next place where
// several records follow one another; a record whose contents do not fit is left out. Both are
// listed as losses. A text or thread that was never defined is replaced, and listed once.
#pragma once

#include <cstdint>
#include <span>

#include "trace/read/progress.h"
#include "trace/read/slices/own.h"
#include "trace/read/slices/records.h"
#include "trace/read/trace.h"

namespace skein::fxt {

// Gives them to `own`, which keeps them. Fills in the losses, the strings and the counts of the
// trace's info. TraceInfo::start is the time of the first record.
void read_records(std::span<const uint8_t> file, Trace& trace, Records& records, Own& own,
                  const Progress& progress);

// Do records of this format follow one another from the beginning? `bytes` may be cut off.
bool looks_like_fxt(std::span<const uint8_t> bytes);

}  // namespace skein::fxt
