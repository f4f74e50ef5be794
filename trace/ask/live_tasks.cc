#include "trace/ask/live_tasks.h"

#include <algorithm>

#include "base/stable_sort.h"

namespace skein {

namespace {

const Waits::Wait* open_wait(const Waits& waits, TaskIndex task) {
  const Waits::Wait* wait = waits.open(task);
  return wait != nullptr && wait->is_open() ? wait : nullptr;
}

// The last successor of the task, which may be no_index.
TaskIndex last_self(const Model& model, TaskIndex task) {
  return task == no_index ? no_index : model.last_self(task);
}

// The waker of the last wait of the task that is over.
TaskIndex waker_of(const Waits& waits, TaskIndex task) {
  for (uint32_t i = waits.last_wait[task]; i != Waits::none; i = waits.waits[i].before)
    if (!waits.waits[i].is_open()) return waits.waits[i].waker;
  return waits.started_by[task];
}

}  // namespace

bool is_waiting(TaskState state) {
  return state == TaskState::Suspended || state == TaskState::Runnable;
}

TaskState task_state(const Subject& subject, TaskIndex task) {
  const Model::Task& of = subject.model.tasks[task];
  if (of.how != Model::End::Open) return TaskState::Ended;
  if (of.is_resource) return TaskState::Resource;
  if (const Waits::Wait* wait = open_wait(subject.waits, task))
    return wait->ready == Waits::never ? TaskState::Suspended : TaskState::Runnable;
  if (subject.waits.running[task]) return TaskState::Running;
  const uint64_t first_run = subject.waits.first_run[task];
  if (!of.pre_existing)
    return first_run == Waits::never ? TaskState::Created : TaskState::Suspended;
  if (const LiveTaskEntry* row = subject.trace.find_live_task(of.id))
    return row->state == LiveTaskEntry::State::Created && first_run == Waits::never
               ? TaskState::Created
               : TaskState::Suspended;
  return first_run == Waits::never ? TaskState::Unknown : TaskState::Suspended;
}

LiveTaskFinder::LiveTaskFinder(const Subject& subject)
    : s_(subject), last_(subject.model.tasks.size(), Waits::none) {
  const auto& runs = s_.model.activations;
  for (uint32_t i = 0; i < runs.size(); i++) last_[runs[i].task] = i;
}

LiveTask LiveTaskFinder::find(TaskIndex task) const {
  const Model::Activation* run =
      last_[task] == Waits::none ? nullptr : &s_.model.activations[last_[task]];
  LiveTask live{.task = task, .state = task_state(s_, task)};
  const Model::Task& of = s_.model.tasks[task];
  const LiveTaskEntry* row = s_.trace.find_live_task(of.id);
  uint64_t since = of.start;
  if (live.state == TaskState::Resource) {
    since = describe_resource(task, live);
  } else if (const Waits::Wait* wait = open_wait(s_.waits, task)) {
    since = live.state == TaskState::Runnable ? wait->ready : wait->begin;
    live.target = last_self(s_.model, wait->on);
    live.location = wait->location;
    live.executor = wait->executor;
  } else if (run != nullptr) {
    const bool is_latest = run->end >= s_.model.last_event;  // else the last event resumed it
    if (live.state == TaskState::Running)
      since = is_latest ? run->start : s_.model.last_event;
    else
      since = run->end;
  }
  if (run != nullptr) live.executor = run->executor;
  if (run == nullptr && row != nullptr) live.executor = row->executor;
  live.waker = waker_of(s_.waits, task);
  live.since = since == 0 && row != nullptr && row->since < 0
                   ? row->since
                   : static_cast<int64_t>(std::min<uint64_t>(since, INT64_MAX));
  return live;
}

uint64_t LiveTaskFinder::describe_resource(TaskIndex resource, LiveTask& live) const {
  if (const Waits::Holding* held = s_.waits.held(resource)) {
    live.target = last_self(s_.model, held->holder);
    live.location = held->location;
    return held->begin;
  }
  const uint32_t last = s_.waits.last_holding[resource];
  return last == Waits::none ? s_.model.tasks[resource].start : s_.waits.holdings[last].end;
}

LiveTask live_task(const Subject& subject, TaskIndex task) {
  return LiveTaskFinder(subject).find(task);
}

std::vector<LiveTask> find_live_tasks(const Subject& subject) {
  const Model& model = subject.model;
  const LiveTaskFinder finder(subject);
  std::vector<LiveTask> found;
  for (TaskIndex task = 0; task < model.tasks.size(); task++)
    if (model.is_open(task)) found.push_back(finder.find(task));
  stable_sort_by(found, [&](const LiveTask& live) { return model.tasks[live.task].id; });
  return found;
}

}  // namespace skein
