// Exports a trace as JSON in the trace event format, which chrome://tracing, Perfetto's viewer and
// many others open. Times are microseconds with three decimals, since the start of the trace.
#pragma once

#include "trace/export/out.h"
#include "trace/read/trace.h"

namespace skein {

Omissions export_chrome(const Trace& trace, Out& out);

}  // namespace skein
