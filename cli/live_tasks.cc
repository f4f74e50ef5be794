#include "cli/live_tasks.h"

#include <time.h>

#include <algorithm>

#include "base/disk_files.h"
#include "cli/fail.h"
#include "cli/trace_input.h"
#include "target/recording.h"
#include "trace/model/names.h"
#include "trace/read/ctf/directory.h"
#include "trace/read/ctf/task_table.h"

namespace skein::cli {

namespace {

int64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

std::string thread_text(const Trace& trace, uint32_t index) {
  if (index >= trace.executors.size()) return "";
  const Executor& executor = trace.executors[index];
  const std::string_view name = trace.strings[executor.name];
  std::string text = executor.tid ? std::to_string(executor.tid) : "";
  if (!text.empty() && !name.empty()) text += ' ';
  return text + std::string(name);
}

LiveTaskList make_list(const Trace& trace, uint64_t until = 0) {
  const Model model = build_model(trace, {.simplify = false});
  const Waits waits = find_waits(trace, model);
  return live_task_list({trace, model, waits}, std::max(until, model.end));
}

// Time 0 of the trace, since 1970.
int64_t zero_of(const Facts& facts) {
  return facts.utc_offset ? static_cast<int64_t>(facts.start) + *facts.utc_offset : 0;
}

void add_remarks(const ctf::TaskTable& table, LiveTaskList& list) {
  if (table.unstable)
    list.remarks.push_back(std::to_string(table.unstable) +
                           " rows of the task table were being written and are not shown");
  if (const uint64_t untracked = table.lost[format::kLoss_untracked])
    list.remarks.push_back(std::to_string(untracked) +
                           " tasks found the table full and are not shown");
}

LiveTaskList of_process(const std::string& directory) {
  DiskFiles disk;
  ctf::TaskTable table;
  const auto trace = ctf::read_live_tasks(disk, directory, table);
  if (!trace) fail(2, trace.error().message());
  const int64_t now = now_ns() - zero_of(trace->facts);
  LiveTaskList list = make_list(*trace, static_cast<uint64_t>(std::max<int64_t>(now, 0)));
  list.running = true;
  list.title = trace->facts.program + " (pid " + std::to_string(table.pid) + ", running)";
  for (LiveTaskRow& row : list.tasks) {
    const auto at = std::lower_bound(
        table.tasks.begin(), table.tasks.end(), row.id,
        [](const ctf::LiveTask& task, uint64_t wanted) { return task.id < wanted; });
    if (at != table.tasks.end() && at->id == row.id) row.waker = at->waker;
  }
  add_remarks(table, list);
  return list;
}

}  // namespace

LiveTaskList read_live_tasks(const std::string& path) {
  DiskFiles disk;
  const std::string file = path + "/.tasks";
  if (disk.type(file) != FileType::File) return make_list(open_trace(path));
  const auto head = disk.head(file, format::kTableHeaderSize);
  if (!head) fail(2, head.error().message());
  const auto table = ctf::read_task_table_header(*head, file);
  if (!table) fail(2, table.error().message());
  if (records_to(table->pid, path)) return of_process(path);
  const Trace trace = open_trace(path);
  LiveTaskList list = make_list(trace);
  list.title = trace.facts.program + " (pid " + std::to_string(table->pid) + ", ended)";
  if (trace.facts.overwritten_packets > 0) add_remarks(*table, list);
  return list;
}

LiveTaskList live_task_list(const Subject& subject, uint64_t until) {
  const auto& [trace, model, waits] = subject;
  LiveTaskList list;
  list.title = trace.facts.program.empty() ? trace.facts.format : trace.facts.program;
  list.has_utc = trace.facts.utc_offset.has_value();
  const int64_t zero = zero_of(trace.facts);
  list.until_ns = static_cast<uint64_t>(zero) + until;
  const auto id = [&](TaskIndex task) { return task == no_index ? 0 : model.tasks[task].id; };
  for (const LiveTask& live : find_live_tasks(subject)) {
    const Model::Task& task = model.tasks[live.task];
    const auto since = static_cast<uint64_t>(zero + live.since);
    list.tasks.push_back(
        {.id = task.id,
         .parent = id(task.parent),
         .on = id(live.target),
         .waker = id(live.waker),
         .since_ns = since,
         .for_ns = list.until_ns - std::min(since, list.until_ns),
         .name = task_name(trace, task),
         .on_name = live.target == no_index ? "" : task_name(trace, model.tasks[live.target]),
         .state = std::string(name(live.state)),
         .kind = kind_name(trace, task.kind),
         .where = place_text(trace, task.location),
         .at = place_text(trace, live.location),
         .thread = thread_text(trace, live.executor),
         .should_resolve = task.should_resolve});
  }
  return list;
}

}  // namespace skein::cli
