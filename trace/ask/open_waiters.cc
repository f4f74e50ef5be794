#include "trace/ask/open_waiters.h"

namespace skein {

OpenWaiters::OpenWaiters(const Subject& subject)
    : model_(subject.model), waiter_(subject.model.tasks.size(), no_index) {
  for (const Waits::Wait& wait : subject.waits.waits)
    if (wait.is_open() && wait.on != no_index && model_.is_open(wait.task))
      waiter_[model_.last_self(wait.on)] = wait.task;
}

bool OpenWaiters::may_repeat(TaskIndex operation, TaskIndex pending) const {
  constexpr int most_callers = 64;
  const auto waits_for_pending = [&](TaskIndex task) {
    TaskIndex at = of(pending);
    for (int depth = 0; depth < most_callers && at != no_index; depth++, at = of(at))
      if (at == task) return true;
    return false;
  };
  TaskIndex user = model_.tasks[operation].parent;
  for (int depth = 0; depth < most_callers && user != no_index; depth++) {
    if (waits_for_pending(user)) return false;
    if (model_.is_open(user)) return true;
    user = model_.tasks[user].parent;
  }
  return true;
}

}  // namespace skein
