#include "cli/live_tasks.h"

#include <time.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "base/disk_files.h"
#include "cli/fail.h"
#include "cli/trace_input.h"
#include "target/recording.h"
#include "trace/model/names.h"
#include "trace/read/ctf/directory.h"
#include "trace/read/ctf/stream.h"
#include "trace/read/ctf/task_table.h"

namespace skein::cli {

namespace {

uint64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

void set_ages(LiveTasks& live) {
  for (LiveTask& task : live.tasks)
    task.for_ns = live.until_ns > task.since_ns ? live.until_ns - task.since_ns : 0;
}

LiveTasks from_table(const std::string& directory) {
  DiskFiles disk;
  // The table first: a task's place was defined before its row was written.
  const auto table = ctf::read_task_table(disk, directory + "/.tasks");
  if (!table) fail(2, table.error().message());
  const auto definitions = ctf::read_definitions(disk, directory);
  if (!definitions) fail(2, definitions.error().message());
  const Trace& trace = definitions->trace;
  const ctf::Names& names = definitions->names;
  const ctf::TickScale scale(definitions->metadata.frequency);

  LiveTasks live;
  live.has_utc = true;
  live.running = records_to(table->pid, directory);
  live.title = trace.facts.program + " (pid " + std::to_string(table->pid) + ", " +
               (live.running ? "running" : "ended") + ")";
  const auto zero = static_cast<uint64_t>(*trace.facts.utc_offset);
  for (const ctf::LiveTask& row : table->tasks) {
    const ctf::Place& place = names.place(row.place);
    const std::string_view thread = trace.strings[names.thread(row.tid)];
    LiveTask& task = live.tasks.emplace_back();
    task.id = row.id;
    task.parent = row.parent;
    task.on = row.on;
    task.waker = row.waker;
    task.since_ns = zero + scale.ns(row.since);
    task.name = task_name(trace, names.text(row.label), place.name, place.location);
    task.state = ctf::name(row.state);
    task.kind = kind_name(trace, place.kind);
    task.where = place_text(trace, place.location);
    task.at = place_text(trace, names.place(row.at).location);
    task.thread = std::to_string(row.tid) + (thread.empty() ? "" : " " + std::string(thread));
    task.should_resolve = row.should_resolve;
    live.until_ns = std::max(live.until_ns, task.since_ns);
  }
  if (live.running) live.until_ns = now_ns();
  set_ages(live);
  if (table->unstable)
    live.remarks.push_back(std::to_string(table->unstable) +
                           " rows of the task table were being written and are not shown");
  if (const uint64_t untracked = table->lost[format::kLoss_untracked])
    live.remarks.push_back(std::to_string(untracked) +
                           " tasks found the table full and are not shown");
  return live;
}

// What the events say about each task that did not end.
class FromEvents {
 public:
  explicit FromEvents(const Trace& trace) : trace_(trace) {
    live_.title = trace.facts.program.empty() ? trace.facts.format : trace.facts.program;
    live_.has_utc = trace.facts.utc_offset.has_value();
    if (live_.has_utc)
      zero_ = trace.facts.start + static_cast<uint64_t>(trace.facts.utc_offset.value_or(0));
    for (size_t i = 0; i < trace.events.size(); i++) {
      const EventRow event = trace.events.row(i);
      live_.until_ns = zero_ + event.time;
      add(event);
    }
  }

  LiveTasks finish() {
    for (auto& [id, task] : tasks_) {
      if (ended_.contains(id) || task.state.empty()) continue;
      // What it waits for may be another by now, several times; in a damaged trace, for ever.
      constexpr int most_times = 100;
      for (int i = 0; i < most_times && task.on != 0; i++) {
        const auto other = ended_.find(task.on);
        if (other == ended_.end() || other->second == no_task) break;
        task.on = other->second;
      }
      live_.tasks.push_back(std::move(task));
    }
    set_ages(live_);
    return std::move(live_);
  }

 private:
  LiveTask& task(TaskId id) {
    LiveTask& found = tasks_[id];
    found.id = id;
    return found;
  }

  LiveTask& becomes(TaskId id, uint64_t time, const char* state) {
    LiveTask& found = task(id);
    found.state = state;
    found.since_ns = zero_ + time;
    return found;
  }

  void runs(const EventRow& event) {
    const auto before = current_.find(event.executor);
    if (before != current_.end() && before->second != event.task &&
        tasks_[before->second].state == "running")
      becomes(before->second, event.time, "suspended");
    current_[event.executor] = event.task;
    LiveTask& found = becomes(event.task, event.time, "running");
    if (event.kind == EventKind::Resume && event.other != no_task) found.waker = event.other;
    found.on = 0;
    found.at.clear();
    if (const uint64_t tid = trace_.executors[event.executor].tid)
      found.thread = std::to_string(tid);
  }

  static bool needs_other(EventKind kind) {
    return kind == EventKind::Resource || kind == EventKind::Acquire || kind == EventKind::Release;
  }

  void made(LiveTask& what, const EventRow& event) {
    what.where = place_text(trace_, event.location);
    what.kind = kind_name(trace_, event.value);
    if (what.name.empty()) what.name = task_name(trace_, 0, event.text, event.location);
  }

  void add(const EventRow& event) {
    if (event.task == no_task) {
      if (event.kind == EventKind::SwitchTo) current_.erase(event.executor);
      return;
    }
    if (event.other == no_task && needs_other(event.kind)) return;  // damaged
    if (event.kind == EventKind::Resume || event.kind == EventKind::SwitchTo ||
        event.flags & flag::makes_current)
      runs(event);
    const uint64_t other = event.other == no_task ? 0 : event.other;
    switch (event.kind) {
      case EventKind::Create: {
        LiveTask& created = becomes(event.task, event.time, "created");
        created.parent = other;
        made(created, event);
        break;
      }
      case EventKind::Resource:
        made(becomes(event.other, event.time, "resource"), event);
        break;
      case EventKind::Acquire:
        becomes(event.other, event.time, "resource").on = event.task;
        break;
      case EventKind::Release:
        if (becomes(event.other, event.time, "resource").on == event.task) task(event.other).on = 0;
        break;
      case EventKind::Suspend:
      case EventKind::TryRead: {
        LiveTask& waits = becomes(event.task, event.time, "suspended");
        waits.on = other;
        if (event.location) waits.at = place_text(trace_, event.location);
        break;
      }
      case EventKind::Await:
        if (const auto found = tasks_.find(event.task); found != tasks_.end())
          found->second.on = other;
        break;
      case EventKind::Label:
        task(event.task).name = trace_.strings[event.text];
        break;
      case EventKind::ShouldResolve:
        task(event.task).should_resolve = true;
        break;
      case EventKind::Resolve:
      case EventKind::Fail:
      case EventKind::Cancel:
        ended_.try_emplace(event.task, no_task);
        break;
      case EventKind::Become:
        ended_.try_emplace(event.task, event.other);
        break;
      default:
        break;
    }
  }

  const Trace& trace_;
  uint64_t zero_ = 0;
  LiveTasks live_;
  std::map<TaskId, LiveTask> tasks_;
  std::unordered_map<TaskId, TaskId> ended_;      // and what they became, or no_task
  std::unordered_map<uint32_t, TaskId> current_;  // by executor
};

}  // namespace

LiveTasks read_live_tasks(const std::string& path) {
  DiskFiles disk;
  if (disk.type(path + "/.tasks") == FileType::File) return from_table(path);
  return live_tasks_of(open_trace(path));
}

LiveTasks live_tasks_of(const Trace& trace) { return FromEvents(trace).finish(); }

}  // namespace skein::cli
