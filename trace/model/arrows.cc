// The part of ModelBuilder that makes arrows: rules 3 and 7 of docs/model.md.
#include <algorithm>

#include "trace/model/builder.h"

namespace skein {

// Merges a wait and its end into one arrow (rule 3): if the last interaction of `actor` is its wait
// for `from`, drops it. Returns the index of the new arrow.
uint32_t ModelBuilder::link(Link link, TaskIndex from, TaskIndex to, uint64_t from_time,
                            TaskIndex actor) {
  const auto index = static_cast<uint32_t>(model_.interactions.size());
  Interaction& arrow = model_.interactions.emplace_back();
  arrow.from_time = std::min(from_time, now_) & time_mask;
  arrow.link = link;
  arrow.to_time = now_;
  arrow.from = from;
  arrow.to = to;
  if (actor != no_index) {
    uint32_t& last = pass_states_[actor].acted;
    const bool ends_wait = actor == to && awaits(actor, from);
    if (ends_wait) drop(last);
    if (mirage_) {
      uint32_t& first = beginnings_[actor].acted;
      if (first == Beginnings::none || (ends_wait && first == last)) first = index;
    }
    last = index;
  }
  return index;
}

// Whether the last interaction in which `task` acted is a wait for `on`.
bool ModelBuilder::awaits(TaskIndex task, TaskIndex on) {
  const uint32_t last = pass_states_[task].acted;
  if (last == no_index) return false;
  const Interaction& interaction = model_.interactions[last];
  return interaction.link == Link::Await && interaction.from == task &&
         (interaction.to == on || self_of(interaction.to) == on);
}

// Rule 7: a result leaves where its source's bar ended.
void ModelBuilder::read(TaskIndex reader, TaskIndex source) {
  if (source == no_index || reader == no_index || source == reader) return;
  const Task& from = model_.tasks[source];
  const Link kind = from.how == End::Failed ? Link::ReadFailure : Link::Read;
  link(kind, source, reader, from.how == End::Open ? now_ : from.end, reader);
  if (from.how != End::Open || trace_.executors.size() < 2) return;
  early_[source] = static_cast<uint32_t>(early_reads_.size());
  early_reads_.push_back({.time = now_, .executor = executor_});
}

// Acquiring a free resource yields no result.
void ModelBuilder::ready(const EventRow& event) {
  const TaskIndex reader = get(event.task);
  const TaskIndex source = get_unless_resource(event.other);
  touch(reader);
  touch(source);
  if (source != no_index && !model_.tasks[source].is_resource) read(reader, source);
  // A read of the root is ignored. Lwt does that when there is nothing to bind.
  if (event.flags & flag::makes_current && event.other != no_task) run(reader);
}

void ModelBuilder::resume(const EventRow& event) {
  const TaskIndex task = get(event.task);
  if (task == no_index) return;
  TaskIndex waker = get(event.other);
  touch(task);
  touch(waker);
  if (const uint32_t last = pass_states_[task].acted; waker == no_index && last != no_index) {
    // No waker is recorded, but the target of its wait has ended.
    const Interaction& wait = model_.interactions[last];
    if (wait.link == Link::Await && !is_open(self_of(wait.to))) waker = self_of(wait.to);
  }
  if (waker != no_index && waker != task) {
    if (!is_open(waker) || (!model_.tasks[waker].is_resource && awaits(task, waker)))
      read(task, waker);
    else if (!is_wake_implied(task, waker))
      woken_by(task, waker);
  }
  if (!mirage_) woken_[task] = no_index;
  executors_.run(executor_, task, now_);
}

// Whether another arrow already shows why the task runs: the waker waits for it, or has just
// created it.
bool ModelBuilder::is_wake_implied(TaskIndex task, TaskIndex waker) {
  const Task& woken = model_.tasks[task];
  return awaits(waker, task) || (woken.parent == waker && woken.start == now_);
}

// Merges a notify and the resume it caused into one arrow.
void ModelBuilder::woken_by(TaskIndex task, TaskIndex waker) {
  uint64_t from_time = now_;
  if (const uint32_t notify = mirage_ ? no_index : woken_[task];
      notify != no_index && model_.interactions[notify].from == waker) {
    from_time = model_.interactions[notify].from_time;
    drop(notify);
  }
  link(Link::Notify, waker, task, from_time, no_index);
}

void ModelBuilder::await(const EventRow& event, bool suspends) {
  const TaskIndex task = get(event.task);
  const TaskId id = event.other;
  const bool resource = event.value == 1 && event.kind != EventKind::TryRead;
  const TaskIndex on = resource ? resource_task(id) : get(id);
  touch(task);
  touch(on);
  if (mirage_ && on != no_index && beginnings_[on].tried == Beginnings::none)
    beginnings_[on].tried = static_cast<uint32_t>(model_.interactions.size());
  if (on != no_index && task != no_index && on != task && is_open(on))
    link(Link::Await, task, on, now_, task);
  if (suspends) executors_.stop(executor_, now_);
}

void ModelBuilder::notify(const EventRow& event) {
  const TaskIndex receiver = get_unless_resource(event.task);
  const TaskIndex sender = get(event.other);
  touch(receiver);
  touch(sender);
  if (receiver != no_index && sender != no_index && receiver != sender) {
    // A notification that wakes no task is drawn only if it is lost: semaphores store theirs.
    const Task& target = model_.tasks[receiver];
    uint32_t woken = no_index;
    const bool wakes = event.value != 0 || !target.is_resource;
    const bool lost = !wakes && (target.kind >= conditions_.size() || conditions_[target.kind]);
    if (lost) model_.unheard.push_back({now_, sender});
    if (wakes || lost) woken = link(Link::Notify, sender, receiver, now_, sender);
    if (!mirage_) woken_[receiver] = woken;
  }
  if (event.flags & flag::makes_current) run(receiver);
}

// Adds an arrow with one end; the matching event adds the other. Their order depends on two clocks.
void ModelBuilder::message(const EventRow& event) {
  const bool sends = event.kind == EventKind::Send;
  const TaskIndex task = get(event.task);
  touch(task);
  Interaction message;
  message.from_time = now_ & time_mask;
  message.link = Link::Message;
  message.to_time = now_;
  message.from = sends ? task : no_index;
  message.to = sends ? no_index : task;
  const uint64_t correlation = event.value;
  const auto index = static_cast<uint32_t>(model_.interactions.size());
  if (correlation != no_task) {
    uint32_t& known = messages_[correlation];
    if (known != IdMap::none) {
      Interaction& other = model_.interactions[known];
      const bool other_sends = other.to == no_index;
      if (other_sends != sends) {
        message.from_time = other.from_time;
        (sends ? message.to : message.from) = sends ? other.to : other.from;
        drop(known);
      }
    }
    known = index;
  }
  model_.interactions.push_back(message);
}

}  // namespace skein
