// The tasks of a trace by id: what one pass over the events says about each. Who became another
// is that one from then on, as in the model (docs/model.md, rule 2).
//
//   const TaskTable tasks(trace);
//   if (const TaskTable::Task* task = tasks.find(id)) print(trace.strings[task->label]);
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trace/model/id_map.h"
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
    bool ended = false;          // resolved, failed, cancelled, or became another, by its own id
    bool over = false;           // the same, or what it is by now was, by the id of one before it
    bool failed = false;
    bool should_resolve = false;
    uint8_t creates = 0;             // more than one: an id used twice; 255: that many or more
    uint32_t becomes = IdMap::none;  // index into all(), of it or of what that became
  };

  explicit TaskTable(const Events& events);
  // Those of a ring too that are older than its events.
  explicit TaskTable(const Trace& trace);

  // Null for an id that never occurred, and for no_task.
  const Task* find(TaskId id) const;

  size_t size() const { return all_.size(); }

  // In the order of their first events.
  const std::vector<Task>& all() const { return all_; }

 private:
  void add_block(const Events& events, size_t begin);
  Task& get(TaskId id);
  Task& self(TaskId id);  // what it is by now
  void become(Task& task, TaskId id);

  IdMap ids_;  // to indices into all_
  std::vector<Task> all_;
};

// Is the second party of such an event a task (and not a resource, a peer, a clock)?
bool other_is_task(EventKind kind, uint64_t value);

}  // namespace skein
