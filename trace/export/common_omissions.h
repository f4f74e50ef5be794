// What only our own format can represent.
#pragma once

#include "base/escape.h"
#include "trace/export/out.h"
#include "trace/read/trace.h"

namespace skein {

// Counts the texts that are not UTF-8; their invalid bytes are written as \xff.
inline void add_damaged_texts(const Trace& trace, Omissions& omissions) {
  uint64_t count = 0;
  for (StringId id = 1; id < trace.strings.size(); id++)
    count += valid_utf8(trace.strings[id]) != trace.strings[id];
  omissions.add("strings with bytes that are not UTF-8", count);
}

// Counts the entries of tables beside the events.
inline void add_omitted_tables(const Trace& trace, Omissions& omissions) {
  omissions.add("modules", trace.modules.size());
  omissions.add("addresses of awaited objects", trace.awaited_objects.size());
  omissions.add("readings of CPU times", trace.cpu_times.size());
  omissions.add("the kernel's counts of sockets' bytes", trace.socket_bytes.size());
  omissions.add("states of threads by the kernel", trace.thread_states.size());
}

}  // namespace skein
