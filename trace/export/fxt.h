// Exports a trace in the Fuchsia trace format (trace/read/foreign/fxt/wire.h), which Perfetto's
// viewer opens too.
#pragma once

#include "trace/export/out.h"
#include "trace/read/trace.h"

namespace skein {

Omissions export_fxt(const Trace& trace, Out& out);

}  // namespace skein
