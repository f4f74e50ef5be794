#include "trace/ask/invoked.h"

#include "trace/ask/task_kinds.h"

namespace skein {

TaskIndex invoker(const Subject& s, TaskIndex task) {
  const TaskIndex by = s.waits.started_by[task];
  if (by == no_index || by == task || by != s.model.tasks[task].parent || !s.model.is_open(task) ||
      !s.model.is_open(by) || s.waits.open(by) != nullptr)
    return no_index;
  const KindClass kind = kind_class(s.trace, s.model.tasks[by]);
  return kind == KindClass::Operation || kind == KindClass::Handler ? by : no_index;
}

uint32_t location_of_invoked(const Subject& s, TaskIndex task) {
  constexpr int deepest = 100;
  TaskIndex at = task;
  for (int depth = 0; depth < deepest && at != no_index; depth++, at = invoker(s, at))
    if (s.model.tasks[at].location != 0) return s.model.tasks[at].location;
  return s.model.tasks[task].location;
}

}  // namespace skein
