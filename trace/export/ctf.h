// Any trace as a directory of plain CTF 1.8, in our own format.
//
// Ticks are those of the trace's counter (TickClock), or nanoseconds if it has none, so that the
// copy aligns with other traces of its boot. Each executor becomes a stream. What comes back is
// what went out, event by event: where one of ours has no argument for something (the subject of
// most is who is current), an event `extra` before it says it. Its task 0 is a task, ours is
// nobody: its ids then become one larger. The metadata say what it is a copy of
// (TraceInfo::format), for the same events of mirage-profile mean another thing than ours.
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
