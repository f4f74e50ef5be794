// Texts that formats of Unicode cannot hold as they are.
#pragma once

#include "base/escape.h"
#include "trace/export/out.h"
#include "trace/read/trace.h"

namespace skein {

// Counts those that are no UTF-8: what is written of them are their bytes as \xff.
inline void add_damaged_texts(const Trace& trace, Omissions& omissions) {
  uint64_t count = 0;
  for (StringId id = 1; id < trace.strings.size(); id++)
    count += valid_utf8(trace.strings[id]) != trace.strings[id];
  omissions.add("strings with bytes that are not UTF-8", count);
}

}  // namespace skein
