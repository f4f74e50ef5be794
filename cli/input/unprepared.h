// The coroutines of processes and core files that no recorder is in.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "frames/suspended.h"
#include "frames/verdict.h"

namespace skein::cli {

struct Unprepared {
  std::string title = {};  // "server (4711)"
  uint64_t pid = 0;        // 0: unknown
  bool is_core = false;
  SuspendedCoroutines found = {};
  Surroundings around = {};
};

// The coroutines in the memory of a process, which may record. Fails if it has none, or cannot be
// read.
Result<Unprepared> read_process(uint64_t pid);

// Nothing: `text` names neither a core file nor a process that does not record. Throws
// CommandError(2) if it does and no coroutines can be read from it.
std::optional<Unprepared> read_unprepared(const std::string& text);

}  // namespace skein::cli
