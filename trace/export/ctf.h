// Exports a trace as a directory of plain CTF 1.8, in skein's format.
//
// Ticks are those of the trace's counter (TickClock), or nanoseconds if it has none, so the copy
// aligns with other traces of its boot. Each executor becomes a stream. The copy contains every
// event unchanged: if an event of the format has no argument for a field (the subject of most is
// the current task), an `extra` event before it has the field. Task 0 of the format is no task: if
// the trace has a task 0, the ids of the copy are increased by one. The metadata contain the
// original's format (TraceInfo::format), because the same events have another meaning in
// mirage-profile.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/export/out.h"
#include "trace/read/ctf/chunk.h"
#include "trace/read/trace.h"

namespace skein {

struct CtfFile {
  std::string name;
  std::vector<uint8_t> bytes;
};
struct CtfCopy {
  std::vector<CtfFile> files;
  bool ids_are_shifted = false;
  Omissions omissions;
};

CtfCopy export_ctf(const Trace& trace, const ctf::Uuid& uuid);

}  // namespace skein
