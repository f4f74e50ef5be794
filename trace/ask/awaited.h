// The objects that tasks await and the trace knows only by their addresses: mutexes, events and
// thread pools of libraries (Trace::awaited_objects). Which tasks wait for the same one, and which
// was the last to continue there: of a lock, perhaps its holder.
//
//   const AwaitedObjects objects(trace, model);
//   if (const auto wait = objects.of(task)) print(wait->address, wait->others);
//
// An address may be that of another object later; and the recorder guesses which word of an awaiter
// is an address.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>

#include "trace/model/model.h"
#include "trace/read/trace.h"

namespace skein {

struct AwaitedObjectWait {
  uint64_t address = 0;
  StringId type = 0;            // of the awaiter, or of the object; 0: unknown
  uint32_t others = 0;          // further tasks that wait for it now
  uint32_t other_location = 0;  // where another task, of another function, waits for it; 0: none
  // The last task that awaited it and continued; no_index: none, or overwritten.
  TaskIndex last = no_index;
  uint64_t last_at = 0;
  uint32_t last_location = 0;
};

class AwaitedObjects {
 public:
  // O(events) if the trace has such objects. The trace must outlive this.
  AwaitedObjects(const Trace& trace, const Model& model);

  // The object for which the task waits at the end of the trace; empty: none, or unknown.
  std::optional<AwaitedObjectWait> of(TaskIndex task) const;

 private:
  struct Object {
    uint32_t waiters = 0;
    std::array<uint32_t, 2> locations = {};  // of the waiters, in two functions, if there are two
    TaskIndex last = no_index;
    uint64_t last_at = 0;
    uint32_t last_location = 0;
  };
  struct Pending {
    uint64_t address;
    StringId type;
    uint32_t location;
  };
  void add_live_task(TaskIndex task, const LiveTaskEntry& entry);
  void add_waiter(const Pending& pending);
  void pass(TaskIndex task, uint64_t address, uint64_t time, uint32_t location);

  const Trace& trace_;
  std::unordered_map<uint64_t, Object> objects_;    // by address
  std::unordered_map<TaskIndex, Pending> pending_;  // by task
};

}  // namespace skein
