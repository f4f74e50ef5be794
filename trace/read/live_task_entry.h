// An entry of the live task table beside the streams of a ring.
#pragma once

#include <cstdint>
#include <optional>

#include "trace/read/socket_bytes_reading.h"
#include "trace/read/strings.h"
#include "trace/read/task_id.h"

namespace skein {

// A task or resource that was live when a ring was read, or when its program died. It comes from
// the program's live task table, which is never overwritten.
struct LiveTaskEntry {
  enum class State : uint8_t { Created, Running, Suspended, Resource };

  TaskId id = no_task;
  TaskId parent = no_task;
  // The target of its wait; of a created operation: the resource that it uses; of a resource: its
  // holder.
  TaskId on = no_task;
  TaskId cancelled_by = no_task;  // of a resource that operations use: who last cancelled them
  int64_t since = 0;  // when it entered this state, as EventRow::time; negative: before the trace
  // Of a created operation: when it completes by itself, as EventRow::time; never: INT64_MAX.
  std::optional<int64_t> expires = {};
  // Of a socket; `sent_at` and `received_at` as EventRow::time, INT64_MIN: never.
  struct Traffic {
    uint64_t sent = 0;
    uint64_t received = 0;
    int64_t sent_at = INT64_MIN;
    int64_t received_at = INT64_MIN;
    std::optional<UnseenBytes> unseen = {};  // empty: not known
  };
  std::optional<Traffic> traffic = {};
  // Of a suspended task that awaits such an object (AwaitedObject); 0: none.
  uint64_t awaited_object = 0;
  StringId awaited_type = 0;
  StringId connection = 0;  // connection_text(); 0: unknown
  uint32_t descriptor = 0;  // of a socket with a connection
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
