// An entry of the live task table beside the streams of a ring.
#pragma once

#include <cstdint>

#include "trace/read/strings.h"
#include "trace/read/task_id.h"

namespace skein {

// A task or resource that was live when a ring was read, or when its program died. It comes from
// the program's live task table, which is never overwritten.
struct LiveTaskEntry {
  enum class State : uint8_t { Created, Running, Suspended, Resource };

  TaskId id = no_task;
  TaskId parent = no_task;
  TaskId on = no_task;  // the target of its wait; of a resource: its holder
  int64_t since = 0;    // when it entered this state, as EventRow::time; negative: before the trace
  StringId label = 0;
  StringId name = 0;           // given at its creation
  uint32_t kind = UINT32_MAX;  // index into Trace::kinds; UINT32_MAX: unknown
  uint32_t location = 0;       // where it was created; index into Trace::locations
  uint32_t at = 0;             // where it waits; index into Trace::locations
  uint32_t executor = 0;       // where it runs or last ran; index into Trace::executors
  State state = State::Created;
  bool should_resolve = false;
};

}  // namespace skein
