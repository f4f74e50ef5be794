// A trace as JSON in the trace event format, which chrome://tracing, Perfetto's viewer and many
// others open. Times in it are microseconds with three digits behind the point, from the beginning
// of the trace on.
#pragma once

#include "trace/export/out.h"
#include "trace/read/trace.h"

namespace skein {

Omissions export_chrome(const Trace& trace, Out& out);

}  // namespace skein
