#include "record/core/tasks.h"

namespace skein::record {

Reached adopt(Emission e, skein_task* task) {
  const uint64_t id = task->id;
  new_task(e, task, 0, 0, TaskState::kSuspended);
  // A task keeps its id in all traces of the process. A task created while the recorder was off
  // gets its id here.
  if (id != 0) {
    task->id = id;
    if (TaskRow* r = row_of(e.writer(), task)) {
      RowUpdate update(*r);
      r->id = id;
    }
  }
  put_create_under(e, 0, task->id, 0);
  return e.reached();
}

}  // namespace skein::record
