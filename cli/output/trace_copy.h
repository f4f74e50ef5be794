// Writes a trace to a new directory, in skein's format.
//
//   write_trace_copy(trace, "server.skein");
#pragma once

#include <string>

#include "trace/export/ctf.h"
#include "trace/read/trace.h"

namespace skein::cli {

// Reports on stderr what the copy cannot contain. Throws CommandError(2) if the directory exists or
// cannot be made, and CommandError(1) if it cannot be written.
void write_trace_copy(const Trace& trace, const std::string& directory,
                      CtfCopy (*copy_of)(const Trace&, const ctf::Uuid&) = export_ctf);

// What a format cannot represent, on stderr.
void report_omissions(const Omissions& omissions);

}  // namespace skein::cli
