#include "cli/input/live_tasks.h"

#include <algorithm>

#include "base/disk_files.h"
#include "base/text.h"
#include "cli/die.h"
#include "cli/input/callback_lines.h"
#include "cli/input/trace_input.h"
#include "cli/utc_now.h"
#include "target/recording.h"
#include "trace/model/internal_place.h"
#include "trace/read/ctf/directory.h"
#include "trace/read/ctf/task_table.h"

namespace skein::cli {

namespace {

LiveTaskList make_list(const Trace& trace) {
  const Model model = build_model(trace, {.simplify = false});
  const Waits waits = find_waits(trace, model);
  return live_task_list({trace, model, waits}, model.end);
}

void add_notes(const ctf::TaskTableSnapshot& table, LiveTaskList& list) {
  const auto add = [&](uint64_t tasks, const char* reason) {
    if (tasks == 0) return;
    list.notes.push_back(counted(tasks, "task") + (tasks == 1 ? " is" : " are") +
                         " not shown: " + reason);
  };
  add(table.unstable, "rows were being updated");
  add(table.lost[format::kLoss_untracked], "the task table was full");
}

// Returns the row with this id, or null. Precondition: `rows` is sorted by id.
template <typename Row>
const Row* find_by_id(const std::vector<Row>& rows, uint64_t id) {
  const auto found =
      std::lower_bound(rows.begin(), rows.end(), id,
                       [](const Row& row, uint64_t wanted) { return row.id < wanted; });
  return found != rows.end() && found->id == id ? &*found : nullptr;
}

// Whether a task waits for a composed operation that has gone on to another part: only the events
// show for which.
bool has_parts(const Trace& trace) {
  return std::any_of(trace.live_tasks.begin(), trace.live_tasks.end(), [&](const auto& entry) {
    return entry.state == LiveTaskEntry::State::Created && entry.location != 0 &&
           is_internal_place(trace.strings[trace.locations[entry.location].file]);
  });
}

LiveTaskList of_process(const std::string& directory) {
  DiskFiles disk;
  ctf::TaskTableSnapshot table;
  auto trace = ctf::read_live_tasks(disk, directory, table);
  if (!trace) die(2, trace.error().message());
  add_callback_lines(*trace);
  LiveTaskList list = has_parts(*trace) ? make_list(open_trace(directory)) : make_list(*trace);
  if (list.utc_start)
    list.until = std::max(list.until,
                          static_cast<uint64_t>(std::max<int64_t>(utc_now() - *list.utc_start, 0)));
  list.running = true;
  list.pid = table.pid;
  for (LiveTaskRow& row : list.tasks) {
    const ctf::TaskTableRow* entry = find_by_id(table.tasks, row.id);
    if (entry == nullptr || entry->waker == 0 || entry->state == format::TaskState::kCreated ||
        entry->state == format::TaskState::kResource)
      continue;
    const LiveTaskRow* waker = find_by_id(list.tasks, entry->waker);
    row.waker = {entry->waker, waker ? waker->name : "", {}};
  }
  add_notes(table, list);
  return list;
}

}  // namespace

LiveTaskList read_live_tasks(const std::string& path) {
  DiskFiles disk;
  const std::string file = path + "/.tasks";
  if (disk.type(file) != FileType::File)
    return make_list(open_trace(path, {}, {.memory = true, .profiles = false}));
  const auto head = disk.head(file, format::kTableHeaderSize);
  if (!head) die(2, head.error().message());
  const auto table = ctf::read_task_table_header(*head, file);
  if (!table) die(2, table.error().message());
  if (records_to(table->pid, path)) return of_process(path);
  const Trace trace = open_trace(path, {}, {.memory = true, .profiles = false});
  LiveTaskList list = make_list(trace);
  if (table->pid != 0) list.pid = table->pid;  // 0: a unikernel
  if (trace.info.overwritten_packets > 0) add_notes(*table, list);
  return list;
}

}  // namespace skein::cli
