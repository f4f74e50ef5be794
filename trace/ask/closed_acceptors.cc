#include "trace/ask/closed_acceptors.h"

#include <algorithm>

namespace skein {

namespace {

// A program may take this time to end after it has closed its acceptor, ns.
constexpr uint64_t end_threshold_ns = 100'000'000;
// A task closes and cancels what it ends at once, ns.
constexpr uint64_t at_once_ns = 10'000'000;

// Whether the object is an acceptor that waited for a connection when a task closed it.
bool is_closed_acceptor(const Subject& s, const Model::Object& object) {
  if (object.end == Model::Object::never || object.ended_by == no_index ||
      object.last_use == Model::Object::none)
    return false;
  const Model::Task& last = s.model.tasks[s.model.concerns[object.last_use].task];
  const bool has_waited =
      last.failed() && last.end >= object.end && last.end - object.end < end_threshold_ns;
  return has_waited && s.trace.strings[last.name].starts_with("socket.async_accept");
}

// Whether each open task waits for another, or is such a timer.
bool only_lasting(const Subject& s, const std::function<bool(TaskIndex)>& is_lasting) {
  for (TaskIndex task = 0; task < s.model.tasks.size(); task++) {
    const Model::Task& one = s.model.tasks[task];
    if (one.how != Model::End::Open || one.is_resource || one.is_scope) continue;
    const Waits::Wait* wait = s.waits.open(task);
    const bool waits = wait != nullptr && wait->on != no_index;
    if (!waits && !is_lasting(task)) return false;
  }
  return true;
}

}  // namespace

ClosedAcceptors::ClosedAcceptors(const Subject& subject,
                                 const std::function<bool(TaskIndex)>& is_lasting)
    : s_(subject) {
  uint64_t closed = 0;
  for (uint32_t i = 0; i < s_.model.objects.size(); i++) {
    const Model::Object& object = s_.model.objects[i];
    if (!is_closed_acceptor(s_, object) || object.end < closed) continue;
    acceptor_ = i;
    closed = object.end;
  }
  if (acceptor_ != Model::Object::none && !only_lasting(s_, is_lasting))
    acceptor_ = Model::Object::none;
}

std::optional<ClosedAcceptor> ClosedAcceptors::find(TaskIndex timer) const {
  const Model::Concern* use = s_.model.concern(timer);
  if (acceptor_ == Model::Object::none || use == nullptr || use->object == Model::Object::none)
    return {};
  const Model::Object& acceptor = s_.model.objects[acceptor_];
  const uint64_t age = s_.model.end - std::min(s_.model.end, acceptor.end);
  if (age < end_threshold_ns) return {};
  ClosedAcceptor found{.acceptor = acceptor_};
  for (uint32_t i = s_.model.objects[use->object].last_cancel; i != Model::Object::none;
       i = s_.model.cancels[i].before) {
    const Model::Cancel& cancel = s_.model.cancels[i];
    const uint64_t distance =
        std::max(cancel.time, acceptor.end) - std::min(cancel.time, acceptor.end);
    if (cancel.by == acceptor.ended_by && distance < at_once_ns &&
        cancel.time < s_.model.tasks[timer].start)
      found.cancel = i;
  }
  return found;
}

}  // namespace skein
