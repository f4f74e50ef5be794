#include "trace/ask/logical_chains.h"

#include "base/large_pages.h"

namespace skein {

LogicalChains::LogicalChains(const Subject& subject, LogicalFrames& frames, Passive passive)
    : model_(subject.model), waits_(subject.waits.waits), left_(4 * waits_.size() + 1'000'000) {
  add_tasks(subject, frames, passive);
  reserve_large(pieces_, waits_.size());
  reserve_large(of_wait_, waits_.size() + 1);
  of_wait_.push_back(0);
  for (uint32_t i = 0; i < waits_.size(); i++) {
    if (const size_t soon = i + 16; soon < waits_.size()) {
      if (waits_[soon].on != no_index) __builtin_prefetch(&tasks_[waits_[soon].on]);
      __builtin_prefetch(&tasks_[waits_[soon].task]);
    }
    const Waits::Wait& wait = waits_[i];
    if (wait.on != no_index && wait.on != wait.task)
      add(wait.on, i, wait.begin, ready_of(wait));
    else if (is_join(wait))
      add_join(i);
    of_wait_.push_back(static_cast<uint32_t>(pieces_.size()));
    ready_waits_ += ready_of(wait) < end_of(wait);
  }
}

// One pass over the tasks of the model: they are larger than the caches.
void LogicalChains::add_tasks(const Subject& subject, LogicalFrames& frames, Passive passive) {
  const std::vector<uint64_t>& first_run = subject.waits.first_run;
  const std::vector<uint32_t>& last_wait = subject.waits.last_wait;
  const size_t known =
      passive == Passive::Skipped ? std::min(first_run.size(), last_wait.size()) : 0;
  reserve_large(tasks_, model_.tasks.size());
  std::vector<TaskIndex> labelled;
  for (TaskIndex i = 0; i < model_.tasks.size(); i++) {
    const Model::Task& task = model_.tasks[i];
    const bool is_passive =
        i < known && first_run[i] == Waits::never && last_wait[i] == Waits::none;
    if (task.label != 0) labelled.push_back(i);
    tasks_.push_back({.is_resource = task.is_resource,
                      .is_passive = is_passive,
                      .frame = frames.of(task),
                      .label = task.label});
  }
  for (const TaskIndex i : labelled)
    tasks_[i].frame = frames.with_label(tasks_[i].frame, tasks_[i].label);
}

void LogicalChains::add(TaskIndex task, uint32_t wait, uint64_t begin, uint64_t end) {
  Task& of = tasks_[task];
  if (of.is_resource || of.is_passive) return;
  if (of.first != none) begin = std::max(begin, pieces_[of.last].end);
  if (begin >= end) return;
  const TaskIndex waiter = waits_[wait].task;
  if (of.waits_until > begin) end = first_cycle(waiter, task, begin, end, 0);
  if (begin >= end) return;
  const auto index = static_cast<uint32_t>(pieces_.size());
  pieces_.push_back({.begin = begin, .end = end, .wait = wait, .task = task, .covered = begin});
  if (of.first == none)
    of.first = of.cursor = index;
  else
    pieces_[of.last].next = index;
  of.last = index & (none >> 2);
  tasks_[waiter].waits_until = std::max(tasks_[waiter].waits_until, end);
}

// The first time from `begin` at which `above` awaits `task`, if only through others; `end`: it
// does not.
uint64_t LogicalChains::first_cycle(TaskIndex task, TaskIndex above, uint64_t begin, uint64_t end,
                                    uint32_t depth) {
  if (task == above || depth >= deepest_stack || left_ == 0) return begin;
  left_--;
  for (const Piece* piece = find(task, begin); piece != nullptr && piece->begin < end;
       piece = next(*piece)) {
    if (piece->end <= begin) continue;
    const uint64_t to = std::min(piece->end, end);
    const uint64_t found =
        first_cycle(waits_[piece->wait].task, above, std::max(piece->begin, begin), to, depth + 1);
    if (found < to) return found;
  }
  return end;
}

// It does not name what it waited for, and one of its children ended it, as with when_all.
bool LogicalChains::is_join(const Waits::Wait& wait) const {
  return wait.on == no_index && wait.waker != no_index && wait.waker != wait.task &&
         model_.tasks[wait.waker].parent == wait.task;
}

// The children of the waker's function that were live in the wait and ended in it.
void LogicalChains::add_join(uint32_t index) {
  const Waits::Wait& wait = waits_[index];
  if (children_.count() == 0)
    children_ = RowsBy(model_.tasks, model_.tasks.size(),
                       [](const Model::Task& task) { return task.parent; });
  const Model::Task& waker = model_.tasks[wait.waker];
  Children& children = joining_[wait.task];
  const uint64_t ready = ready_of(wait);
  const auto all = children_.of(wait.task);
  for (; children.next < all.size() && model_.tasks[all[children.next]].start < ready;
       children.next++)
    children.live.push_back(all[children.next]);
  std::erase_if(children.live, [&](TaskIndex child) {
    const Model::Task& task = model_.tasks[child];
    const bool has_ended = task.end <= ready && !model_.is_open(child);
    const bool is_joined = (has_ended || child == wait.waker) && task.end > wait.begin &&
                           task.location == waker.location && task.name == waker.name &&
                           task.kind == waker.kind;
    if (is_joined) add(child, index, std::max(wait.begin, task.start), std::min(ready, task.end));
    return has_ended;
  });
}

}  // namespace skein
