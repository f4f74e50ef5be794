#include "trace/read/foreign/fxt/fxt.h"

#include "trace/read/foreign/fxt/read_records.h"
#include "trace/read/foreign/slices/meaning.h"

namespace skein::fxt {

Trace read(std::span<const uint8_t> file, const Progress& progress) {
  for (bool is_streaming = true;; is_streaming = false) {
    Trace trace;
    trace.info.format = trace.info.carrier = "FXT";
    trace.info.clock = "nanoseconds";
    Records records;
    ExportReader export_reader(records, trace, is_streaming);
    read_records(file, trace, records, export_reader, progress);
    if (!export_reader.is_in_order()) continue;
    interpret_records(records, export_reader, trace);
    add_dropped(trace, file.size());
    return trace;
  }
}

}  // namespace skein::fxt
