// Interprets records according to their writer: skein itself (export_reader.h), eio-trace (eio.h),
// or any other (trace/read/foreign/slices/slices.h).
#pragma once

#include "trace/read/foreign/slices/export_reader.h"
#include "trace/read/foreign/slices/records.h"

namespace skein::fxt {

// Appends their events to the trace. Precondition: the reader has filled in the strings and
// TraceInfo::start (records.h).
void interpret_records(const Records& records, ExportReader& export_reader, Trace& trace);

}  // namespace skein::fxt
