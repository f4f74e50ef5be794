#include "trace/ask/mutual_sends.h"

#include <algorithm>

namespace skein {

namespace {

constexpr int deepest = 64;  // callers

}  // namespace

MutualSendsFinder::MutualSendsFinder(const Subject& subject)
    : s_(subject), waiter_(subject.model.tasks.size(), no_index) {
  for (const Waits::Wait& wait : s_.waits.waits)
    if (wait.is_open() && wait.on != no_index && s_.model.is_open(wait.task))
      waiter_[s_.model.last_self(wait.on)] = wait.task;
}

// Whether a task that took part in this receive is open, and does not wait for this send.
bool MutualSendsFinder::may_read(TaskIndex receive, TaskIndex send) const {
  const auto waits_for_send = [&](TaskIndex task) {
    TaskIndex at = waiter_[send];
    for (int depth = 0; depth < deepest && at != no_index; depth++, at = waiter_[at])
      if (at == task) return true;
    return false;
  };
  TaskIndex reader = s_.model.tasks[receive].parent;
  for (int depth = 0; depth < deepest && reader != no_index; depth++) {
    if (waits_for_send(reader)) return false;
    if (s_.model.is_open(reader)) return true;
    reader = s_.model.tasks[reader].parent;
  }
  return true;
}

std::optional<MutualSends> MutualSendsFinder::find(TaskIndex send, const BothEnds& ends) const {
  const auto is_pending = [&](TaskIndex task) {
    return task != no_index && s_.model.is_open(task) && s_.waits.first_run[task] == Waits::never;
  };
  if (s_.trace.info.overwritten_packets != 0 || !s_.trace.losses.empty()) return {};
  if (ends.own.sends != send || !is_pending(send) || !is_pending(ends.other.sends)) return {};
  if (is_pending(ends.own.receives) || is_pending(ends.other.receives)) return {};
  if (waiter_[send] == no_index || waiter_[ends.other.sends] == no_index) return {};
  if (ends.own.receives == no_index && ends.other.receives == no_index) return {};
  if (ends.own.receives != no_index && may_read(ends.own.receives, send)) return {};
  if (ends.other.receives != no_index && may_read(ends.other.receives, ends.other.sends)) return {};
  return MutualSends{
      .peer = waiter_[ends.other.sends],
      .send = ends.other.sends,
      .last_read = ends.own.receives,
      .since = std::max(s_.model.tasks[send].start, s_.model.tasks[ends.other.sends].start)};
}

}  // namespace skein
