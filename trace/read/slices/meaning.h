// What records mean, by who wrote them: skein itself (own.h), eio-trace (eio.h), or
// anybody (trace/read/slices/slices.h).
#pragma once

#include "trace/read/slices/own.h"
#include "trace/read/slices/records.h"

namespace skein::fxt {

// Appends it to the trace, of which records.h has filled in the strings and TraceInfo::start.
void understand(const Records& records, Own& own, Trace& trace);

}  // namespace skein::fxt
