// The names of a trace's tasks by id, found in one pass over the events: for output that prints
// events and needs no model. Only the model distinguishes live tasks.
//
//   const TaskRegistry tasks(trace);
//   if (const TaskRegistry::Task* task = tasks.find(id)) print(trace.strings[task->label]);
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trace/model/id_map.h"
#include "trace/read/trace.h"

namespace skein {

class TaskRegistry {
 public:
  struct Task {
    TaskId id = no_task;
    StringId label = 0;          // its first
    uint32_t kind = UINT32_MAX;  // index into Trace::kinds; UINT32_MAX: no create event
    StringId name = 0;           // the name it was created with, "socket.async_send"; 0: none
    uint32_t location = 0;       // where it was created
    uint8_t creates = 0;         // more than 1: the id is used twice; saturates at 255
  };

  explicit TaskRegistry(const Events& events);
  // Includes the live tasks of a ring whose events were overwritten.
  explicit TaskRegistry(const Trace& trace);

  // Null for an id that never occurred, and for no_task.
  const Task* find(TaskId id) const;

  size_t size() const { return all_.size(); }

  // In the order of their first events.
  const std::vector<Task>& all() const { return all_; }

 private:
  void add_block(const Events& events, size_t begin);
  Task& get(TaskId id);

  IdMap ids_;  // to indices into all_
  std::vector<Task> all_;
};

}  // namespace skein
