// The tasks of a trace by id: what one pass over the events says about each.
//
//   const TaskTable tasks(trace.events);
//   if (const TaskTable::Task* task = tasks.find(id)) print(trace.strings[task->label]);
//
// Recorders number tasks from 0 or 1 up, so the id is the index as long as that wastes little; only
// when ids are scattered over 64 bits (or made up by an enemy) they are hashed. Measured on ten
// million events and 1.8 million tasks: hashing alone took 3 times as long.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trace/read/events.h"

namespace skein {

class TaskTable {
 public:
  struct Task {
    TaskId id = no_task;
    StringId label = 0;          // its first
    uint32_t kind = UINT32_MAX;  // index into Trace::kinds; UINT32_MAX: its create is not there
    StringId name = 0;           // what it was created as, "socket.async_send"; 0: nothing special
    uint32_t location = 0;       // where it was created
    bool ended = false;          // resolved, failed, cancelled, or became another
    bool failed = false;
    bool should_resolve = false;
    uint8_t creates = 0;  // more than one: an id used twice; 255: that many or more
  };

  explicit TaskTable(const Events& events);

  // Null for an id that never occurred, and for no_task.
  const Task* find(TaskId id) const;

  size_t size() const { return size_; }

  // In no order; those with id no_task are free.
  const std::vector<Task>& slots() const { return slots_; }

 private:
  void add_block(const Events& events, size_t begin);
  size_t slot_of(TaskId id) const;
  Task& get(TaskId id);
  void grow();

  std::vector<Task> slots_;
  bool dense_ = false;  // the id is the index
  size_t size_ = 0;
  uint64_t seed_;
};

// Is the second party of such an event a task (and not a resource, a peer, a clock)?
bool other_is_task(EventKind kind, uint64_t value);

}  // namespace skein
