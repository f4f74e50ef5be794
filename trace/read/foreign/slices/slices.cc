#include "trace/read/foreign/slices/slices.h"

#include <algorithm>
#include <string>

#include "trace/read/kinds.h"

namespace skein {

Slices::Slices(Trace& trace, bool on_cpus)
    : trace_(trace),
      on_cpus_(on_cpus),
      thread_kind_(kind_index(trace, "thread")),
      async_kind_(kind_index(trace, "async")) {
  if (trace.executors.empty()) trace.executors.push_back({});
}

Slices::Thread Slices::add_thread(uint64_t number, StringId name, uint32_t process) {
  const StringId by_number = trace_.strings.intern("thread " + std::to_string(number));
  if (name == 0) name = by_number;
  const auto thread = static_cast<Thread>(threads_.size());
  threads_.push_back({.name = name});
  if (on_cpus_) return thread;
  if (thread > 0) trace_.executors.push_back({});
  threads_.back().executor = thread;
  trace_.executors.back() = {.name = name, .tid = number, .stream = thread, .process = process};
  // Redundant with the tid: together they would make "thread 7/7".
  if (number != 0 && name == by_number) trace_.executors.back().name = 0;
  return thread;
}

uint32_t Slices::cpu(uint32_t number) {
  const auto [found, added] =
      cpus_.try_emplace(number, static_cast<uint32_t>(cpus_.empty() ? 0 : trace_.executors.size()));
  if (added) {
    if (found->second > 0) trace_.executors.push_back({});
    trace_.executors.back() = {.name = trace_.strings.intern("CPU " + std::to_string(number)),
                               .stream = number,
                               .process = no_process};
  }
  return found->second;
}

void Slices::append(EventKind kind, uint64_t time, Thread thread, TaskId task, TaskId other,
                    uint64_t value, StringId text) {
  trace_.events.append({.time = time - start_,
                        .task = task,
                        .other = other,
                        .value = value,
                        .text = text,
                        .executor = threads_[thread].executor,
                        .kind = kind});
}

Slices::ThreadState& Slices::at(uint64_t time, Thread thread) {
  ThreadState& state = threads_[thread];
  if (state.task == no_task) {
    state.task = next_task_++;
    append(EventKind::Create, time, thread, state.task, no_task, thread_kind_, state.name);
    append(EventKind::Label, time, thread, state.task, no_task, 0, state.name);
  }
  return state;
}

void Slices::enter(uint64_t time, Thread thread) {
  ThreadState& state = at(time, thread);
  if (state.depth++ == 0 && !on_cpus_) append(EventKind::Resume, time, thread, state.task);
}

void Slices::leave(uint64_t time, Thread thread) {
  ThreadState& state = threads_[thread];
  if (--state.depth == 0 && !on_cpus_) append(EventKind::Suspend, time, thread, state.task);
}

void Slices::begin(uint64_t time, Thread thread, StringId name) {
  threads_[thread].open.push_back(next_number_);
  begin(time, thread, name, next_number_++);
}

void Slices::end(uint64_t time, Thread thread) {
  std::vector<uint64_t>& open = threads_[thread].open;
  if (open.empty()) {
    ends_without_begin_++;
    return;
  }
  const uint64_t number = open.back();
  open.pop_back();
  end(time, thread, number);
}

void Slices::begin(uint64_t time, Thread thread, StringId name, uint64_t number) {
  enter(time, thread);
  append(EventKind::SpanBegin, time, thread, threads_[thread].task, no_task, number, name);
}

void Slices::end(uint64_t time, Thread thread, uint64_t number) {
  append(EventKind::SpanEnd, time, thread, threads_[thread].task, no_task, number);
  leave(time, thread);
}

void Slices::label(uint64_t time, Thread thread, StringId text) {
  append(EventKind::Label, time, thread, at(time, thread).task, no_task, 0, text);
}

void Slices::counter(uint64_t time, Thread thread, StringId name, uint64_t value) {
  append(EventKind::CounterSet, time, thread, no_task, no_task, value, name);
}

void Slices::async_begin(uint64_t time, Thread thread, const Key& key, StringId name) {
  const TaskId parent = at(time, thread).task;
  Async& async = asyncs_[key];
  if (async.task == no_task) {
    async.task = next_task_++;
    append(EventKind::Create, time, thread, async.task, parent, async_kind_, name);
    return;
  }
  async.inner.push_back(next_number_);
  append(EventKind::SpanBegin, time, thread, async.task, no_task, next_number_++, name);
}

void Slices::async_label(uint64_t time, Thread thread, const Key& key, StringId text) {
  const auto found = asyncs_.find(key);
  if (found == asyncs_.end()) return label(time, thread, text);
  append(EventKind::Label, time, thread, found->second.task, no_task, 0, text);
}

void Slices::async_end(uint64_t time, Thread thread, const Key& key) {
  const auto found = asyncs_.find(key);
  if (found == asyncs_.end()) {
    ends_without_begin_++;
    return;
  }
  Async& async = found->second;
  if (!async.inner.empty()) {
    append(EventKind::SpanEnd, time, thread, async.task, no_task, async.inner.back());
    async.inner.pop_back();
    return;
  }
  append(EventKind::Resolve, time, thread, async.task, at(time, thread).task);
  asyncs_.erase(found);
}

void Slices::flow_out(uint64_t time, Thread thread, const Key& key) {
  const TaskId task = at(time, thread).task;
  append(EventKind::Send, time, thread, task, no_task, next_message_);
  flows_[key] = next_message_++;
}

void Slices::flow_in(uint64_t time, Thread thread, const Key& key) {
  const auto found = flows_.find(key);
  if (found == flows_.end()) {
    flows_without_begin_++;
    return;
  }
  append(EventKind::Receive, time, thread, at(time, thread).task, no_task, found->second);
  flows_.erase(found);
}

void Slices::switch_to(uint64_t time, uint32_t number, Thread from, Leaves how, Thread to) {
  const uint32_t executor = cpu(number);
  if (from != no_thread) {
    ThreadState& state = at(time, from);
    state.executor = executor;
    if (how == Leaves::Ended) append(EventKind::Resolve, time, from, state.task, state.task);
    if (how == Leaves::Blocked) append(EventKind::Suspend, time, from, state.task);
    state.blocked = how == Leaves::Blocked;
  }
  if (to == no_thread) {
    trace_.events.append({.time = time - start_, .executor = executor, .kind = EventKind::Idle});
    return;
  }
  threads_[to].executor = executor;
  ThreadState& state = at(time, to);
  append(EventKind::Resume, time, to, state.task, state.woken_by);
  state.woken_by = no_task;
  state.blocked = false;
}

void Slices::wake(uint64_t time, Thread thread, Thread by) {
  ThreadState& state = at(time, thread);
  state.woken_by = by == no_thread ? no_task : at(time, by).task;
}

void Slices::finish() {
  const auto lose = [&](uint64_t count, const char* what) {
    if (count)
      add_loss(trace_.losses, {.what = what + (": " + std::to_string(count)),
                               .bytes = 0,
                               .packets = 0,
                               .events = count});
  };
  lose(ends_without_begin_, "slice ends without a begin in the trace");
  lose(flows_without_begin_, "flow ends without a begin in the trace");
}

}  // namespace skein
