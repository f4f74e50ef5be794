// Any trace as a directory of plain CTF 1.8, in our own format.
//
// Time 0 of the trace becomes tick 0, a tick is a nanosecond, each executor becomes a stream. In
// our format the subject of most events is the task that is current; where another trace says that
// somebody else did it, an event `switch_to` comes before. Its task 0 is a task, ours is nobody:
// its ids then become one larger.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/read/ctf/chunk.h"
#include "trace/read/events.h"

namespace skein {

struct CtfFile {
  std::string name;
  std::vector<uint8_t> bytes;
};
struct CtfCopy {
  std::vector<CtfFile> files;
  bool ids_are_shifted = false;
};

CtfCopy export_ctf(const Trace& trace, const ctf::Uuid& uuid);

}  // namespace skein
