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

TaskRow* search_current_row(const Writer& w) {
  constexpr uint32_t kMost = 4096;
  if (w.table == nullptr || w.rows == nullptr) return nullptr;
  const uint32_t used = __atomic_load_n(&w.table->used, __ATOMIC_RELAXED);
  for (uint32_t row = 1; row < used && row < kMost; ++row)
    if (w.rows[row].id == w.current) return &w.rows[row];
  return nullptr;
}

}  // namespace skein::record
