#include "trace/read/fxt/fxt.h"

#include "trace/read/fxt/meaning.h"
#include "trace/read/fxt/records.h"

namespace skein::fxt {

Trace read(std::span<const uint8_t> file, const Progress& progress) {
  Trace trace;
  trace.facts.format = trace.facts.carrier = "FXT";
  trace.facts.clock = "nanoseconds";
  understand(read_records(file, trace, progress), trace);
  add_dropped(trace, file.size());
  return trace;
}

}  // namespace skein::fxt
