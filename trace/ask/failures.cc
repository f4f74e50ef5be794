#include "trace/ask/failures.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <tuple>

#include "base/stable_sort.h"
#include "trace/ask/task_kinds.h"

namespace skein {

namespace {

bool runs_code(const Subject& s, TaskIndex task) {
  return kind_class(s.trace, s.model.tasks[task]) == KindClass::Runnable;
}

// A handler that returned an error in its result has reported it; one that threw has not.
bool threw(const Subject& s, TaskIndex task) {
  return s.trace.strings[s.model.tasks[task].reason] == "the handler threw";
}

bool ends_a_session(std::string_view reason) {
  constexpr std::array<std::string_view, 7> usual = {
      "End of file",      "end of stream", "peration canceled", "peration cancelled",
      "peration aborted", "reset by peer", "Broken pipe"};
  return std::any_of(usual.begin(), usual.end(), [&](std::string_view text) {
    return reason.find(text) != std::string_view::npos;
  });
}

// Whether the task's creator, when it awaited something for the first time after the creation,
// found that it need not wait: probably the result of this task, which had failed by then. (What it
// awaited is not known if the result is not in the task's frame.)
bool was_awaited_late(const Subject& s, TaskIndex index) {
  constexpr int longest = 10'000;
  const Model::Task& task = s.model.tasks[index];
  if (task.parent == no_index) return false;
  uint32_t first = Waits::none;
  uint32_t at = s.waits.last_wait[task.parent];
  for (int i = 0; i < longest && at != Waits::none && s.waits.waits[at].begin >= task.start; i++) {
    first = at;
    at = s.waits.waits[at].before;
  }
  if (first == Waits::none) return false;
  const Waits::Wait& wait = s.waits.waits[first];
  if (wait.on != no_index || wait.waker != no_index || wait.begin < task.end || wait.is_open())
    return false;
  const auto& runs = s.model.activations;
  auto next = std::upper_bound(
      runs.begin(), runs.end(), wait.begin,
      [](uint64_t time, const Model::Activation& run) { return time < run.start; });
  for (; next != runs.end() && next->start < wait.end; ++next)
    if (next->executor == wait.executor) return false;
  return true;
}

// Follows the failure to the task where it began: a task that awaits another fails with its reason.
TaskIndex find_origin(const Subject& s, TaskIndex task) {
  constexpr int deepest = 1'000;
  for (int depth = 0; depth < deepest; depth++) {
    const uint32_t wait = s.waits.last_wait[task];
    if (wait == Waits::none || s.waits.waits[wait].on == no_index) break;
    const TaskIndex inner = s.model.last_self(s.waits.waits[wait].on);
    if (!s.model.tasks[inner].failed() || !runs_code(s, inner) ||
        s.model.tasks[inner].reason != s.model.tasks[task].reason)
      break;
    task = inner;
  }
  return task;
}

// The texts of the errors with which operations failed.
std::set<std::string_view> operation_errors(const Subject& s) {
  std::set<std::string_view> errors;
  for (TaskIndex i = 0; i < s.model.tasks.size(); i++)
    if (s.model.tasks[i].failed() && !runs_code(s, i) && !threw(s, i))
      errors.insert(s.trace.strings[s.model.tasks[i].reason]);
  errors.erase("");
  return errors;
}

// The tasks that waited for a receive, or for a task that did.
std::vector<bool> receivers(const Subject& s) {
  std::vector<bool> found(s.model.tasks.size());
  for (TaskIndex i = 0; i < s.model.tasks.size(); i++)
    found[i] = s.trace.strings[s.model.tasks[i].name].starts_with("socket.async_receive");
  // A task waits for another before that one waits.
  for (size_t i = s.waits.waits.size(); i-- > 0;) {
    const Waits::Wait& wait = s.waits.waits[i];
    if (wait.on != no_index && found[s.model.last_self(wait.on)]) found[wait.task] = true;
  }
  return found;
}

}  // namespace

std::vector<UnreadFailure> unread_failures(const Subject& subject) {
  const Model& model = subject.model;
  if (!subject.trace.info.records_waits()) return {};
  std::vector<bool> is_read(model.tasks.size());
  for (const Waits::Wait& wait : subject.waits.waits)
    if (wait.on != no_index) is_read[model.last_self(wait.on)] = true;
  for (const Model::Interaction& arrow : model.interactions)
    if (arrow.from != no_index &&
        (arrow.link == Model::Link::Read || arrow.link == Model::Link::ReadFailure))
      is_read[arrow.from] = true;

  const std::set<std::string_view> errors = operation_errors(subject);
  const auto is_of_operation = [&](std::string_view reason) {
    return std::any_of(errors.begin(), errors.end(), [&](std::string_view error) {
      return reason.find(error) != std::string_view::npos;
    });
  };
  const std::vector<bool> received = receivers(subject);
  const bool trace_is_cut = subject.trace.info.overwritten_packets != 0;
  std::map<std::tuple<StringId, uint32_t, StringId, bool>, size_t> groups;
  std::vector<UnreadFailure> found;
  for (TaskIndex i = 0; i < model.tasks.size(); i++) {
    const Model::Task& task = model.tasks[i];
    if (!task.failed() || is_read[i] || !(runs_code(subject, i) || threw(subject, i)) ||
        ends_a_session(subject.trace.strings[task.reason]) || was_awaited_late(subject, i))
      continue;
    // A ring may have overwritten that it was read.
    if (trace_is_cut && task.end <= subject.trace.info.complete_from) continue;
    const TaskIndex origin = find_origin(subject, i);
    const Model::Task& first = model.tasks[origin];
    const auto [group, is_new] = groups.try_emplace(
        {first.name, first.location, task.reason, task.is_discarded}, found.size());
    if (is_new)
      found.push_back(
          {.task = i,
           .count = 0,
           .origin = origin,
           .is_dropped = task.is_discarded,
           .may_be_of_peer = received[i] || is_of_operation(subject.trace.strings[task.reason])});
    found[group->second].count++;
  }
  stable_sort_by(found, [&](const UnreadFailure& f) { return model.tasks[f.task].end; });
  return found;
}

}  // namespace skein
