// An entry of the live task table beside the streams of a ring.
#pragma once

#include <cstdint>

#include "trace/read/strings.h"
#include "trace/read/task_id.h"

namespace skein {

// A task or resource that was alive when a ring was read, or when its program died: what the
// program's table of live tasks says of it, which nothing overwrites.
struct LiveTaskEntry {
  enum class State : uint8_t { Created, Running, Suspended, Resource };

  TaskId id = no_task;
  TaskId parent = no_task;
  TaskId on = no_task;  // what it waits for; of a resource: its holder
  int64_t since = 0;  // when it came into this state, as EventRow::time; before the trace: negative
  StringId label = 0;
  StringId name = 0;           // what it was created as
  uint32_t kind = UINT32_MAX;  // index into Trace::kinds; UINT32_MAX: unknown
  uint32_t location = 0;       // where it was created; index into Trace::locations
  uint32_t at = 0;             // likewise, where it waits
  uint32_t executor = 0;       // it runs on or ran on last; index into Trace::executors
  State state = State::Created;
  bool should_resolve = false;
};

}  // namespace skein
