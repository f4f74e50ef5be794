#include "trace/ask/torn_down.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/stable_sort.h"
#include "trace/ask/diagnosis.h"
#include "trace/ask/task_kinds.h"
#include "trace/model/names.h"

namespace skein {

namespace {

bool has_code(const Subject& s, TaskIndex task) {
  return kind_class(s.trace, s.model.tasks[task]) == KindClass::Runnable &&
         !s.model.tasks[task].is_scope;
}

// When the last task with code of its own stopped running.
uint64_t last_run(const Subject& s) {
  uint64_t last = 0;
  for (const Model::Activation& run : s.model.activations)
    if (has_code(s, run.task)) last = std::max(last, run.end);
  return last;
}

// By task: whether it is an operation of an Asio channel that ended because main() destroyed or
// closed the channel after the last run of an event loop.
//
// Such an operation is completed by code that sends, receives, closes or destroys, never by an
// event loop. Here this code is no task, so it is main() or another thread. The completion only
// posts the handler, which an event loop invokes if the program goes on. Here it was destroyed.
std::vector<bool> find_ended_by_teardown(const Subject& s) {
  const std::vector<Model::Task>& tasks = s.model.tasks;
  std::vector<uint32_t> destroyed(tasks.size()), other(tasks.size());
  for (TaskIndex i = 0; i < tasks.size(); i++) {
    if (tasks[i].parent == no_index) continue;
    const bool is_unused =
        tasks[i].how == Model::End::Cancelled && s.waits.first_run[i] == Waits::never;
    (is_unused ? destroyed : other)[tasks[i].parent]++;
  }
  std::vector<bool> found(tasks.size());
  for (TaskIndex i = 0; i < tasks.size(); i++)
    found[i] = is_channel_operation(s.trace, s.model, i) && s.waits.first_run[i] != Waits::never &&
               s.waits.started_by[i] == no_index && destroyed[i] != 0 && other[i] == 0;
  return found;
}

// Whether the program destroyed an event loop of several at this time, and went on.
bool goes_on_after(const Model& model, uint64_t destroyed) {
  constexpr uint64_t moment = 100'000'000;  // ns
  if (!is_end_known(model) || model.end - std::min(model.end, destroyed) < moment) return false;
  return std::any_of(model.tasks.begin(), model.tasks.end(), [](const Model::Task& task) {
    return task.how == Model::End::Open && !task.is_resource && !task.is_scope;
  });
}

}  // namespace

std::vector<TornDown> torn_down(const Subject& subject) {
  const Model& model = subject.model;
  if (!subject.trace.info.records_waits()) return {};
  const uint64_t end = last_run(subject);
  const auto is_torn_down = [&](TaskIndex i) {
    const Model::Task& task = model.tasks[i];
    return task.how == Model::End::Cancelled && task.end >= end && has_code(subject, i);
  };
  std::vector<bool> is_inner(model.tasks.size());
  for (const Waits::Wait& wait : subject.waits.waits)
    if (wait.cancelled && wait.on != no_index && is_torn_down(wait.task))
      is_inner[model.last_self(wait.on)] = true;

  std::map<std::pair<StringId, uint32_t>, size_t> groups;
  std::vector<TornDown> found;
  for (TaskIndex i = 0; i < model.tasks.size(); i++) {
    if (!is_torn_down(i) || is_inner[i] || is_generator(subject.trace, model.tasks[i])) continue;
    if (model.tasks[i].should_resolve) continue;  // a diagnosis
    const uint32_t wait = subject.waits.last_wait[i];
    if (wait == Waits::none || !subject.waits.waits[wait].cancelled) continue;
    const auto [group, is_new] =
        groups.try_emplace({model.tasks[i].name, subject.waits.waits[wait].location}, found.size());
    if (is_new) found.push_back({.task = i, .wait = wait});
    found[group->second].count++;
  }
  uint64_t destroyed = 0;
  for (const TornDown& t : found) destroyed = std::max(destroyed, model.tasks[t.task].end);
  if (goes_on_after(model, destroyed)) return {};
  stable_sort_by(found, [&](const TornDown& t) { return subject.waits.waits[t.wait].begin; });
  return found;
}

uint64_t last_activity(const Model& model) {
  uint64_t last = 0;
  for (const Model::Activation& run : model.activations) last = std::max(last, run.end);
  return last;
}

uint64_t teardown_begin(const Subject& subject) {
  const Model& model = subject.model;
  if (!subject.trace.info.records_waits()) return UINT64_MAX;
  const std::vector<bool> by_teardown = find_ended_by_teardown(subject);
  uint64_t last = 0;
  bool any_ran = false;
  for (const Model::Activation& run : model.activations) {
    if (by_teardown[run.task]) continue;
    last = std::max(last, run.end);
    any_ran = true;
  }
  if (!any_ran)  // main() began operations, and none of them completed
    for (const Model::Task& task : model.tasks)
      if (task.parent == no_index || !by_teardown[task.parent]) last = std::max(last, task.start);
  const auto is_left = [&](TaskIndex i) {
    const Model::Task& task = model.tasks[i];
    return (task.how == Model::End::Cancelled || by_teardown[i]) && !task.is_resource &&
           !task.is_scope && task.start <= last && task.end > last;
  };
  bool leaves_any = false;
  uint64_t destroyed = 0;
  for (TaskIndex i = 0; i < model.tasks.size(); i++) {
    if (is_left(i)) {
      leaves_any = true;
      destroyed = std::max(destroyed, model.tasks[i].end);
    }
  }
  if (!leaves_any || goes_on_after(model, destroyed)) return UINT64_MAX;
  const Events& events = subject.trace.events;
  const size_t begin = events.count_before(last + 1);
  return begin < model.events ? events.time[begin] : UINT64_MAX;
}

}  // namespace skein
