#include "trace/ask/critical.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include "trace/ask/busiest.h"
#include "trace/ask/none.h"
#include "trace/ask/task_kinds.h"
#include "trace/ask/why.h"
#include "trace/model/thread_intervals.h"

namespace skein {

namespace {

class Walk {
 public:
  Walk(const Trace& trace, const Model& model, const Waits& waits, uint64_t from)
      : trace_(trace),
        model_(model),
        waits_(waits),
        from_(from),
        threads_(trace),
        wait_(waits.last_wait),
        activation_(model.tasks.size(), none),
        visited_(model.tasks.size(), UINT64_MAX) {
    before_.reserve(model.activations.size());
    for (uint32_t i = 0; i < model.activations.size(); i++) {
      uint32_t& last = activation_[model.activations[i].task];
      before_.push_back(last);
      last = i;
    }
  }

  std::vector<Segment> back(TaskIndex task, uint64_t to) {
    task_ = task;
    time_ = to;
    while (time_ > from_ && task_ != no_index) step();
    if (time_ > from_) add(Segment::Kind::Before, from_);
    std::reverse(path_.begin(), path_.end());
    return std::move(path_);
  }

 private:
  // Adds the cause of the time just before time_. Each step goes back in time, or to a task that
  // the walk has not visited at this time.
  void step() {
    const Model::Task& task = model_.tasks[task_];
    visited_[task_] = time_;
    if (task.start >= time_)
      return task.parent == no_index ? created_outside(task) : go_to(task.parent);
    const Model::Activation* ran = last_activation(task_);
    if (ran && ran->end >= time_) {
      add(Segment::Kind::Running, ran->start);
      return add_cpu_wait(ran->executor);
    }
    const uint64_t idle = std::max(task.start, ran ? ran->end : 0);
    if (ended_before(task)) return after_end(task, std::max(task.end, idle));
    const Waits::Wait* wait = last_wait();
    const bool waited = wait && std::min(wait->end, time_) > idle;
    if (waited && wait->ready >= time_) return blocked(*wait, idle);
    if (waited) return ready(std::max(wait->ready, idle), ran ? ran->executor : wait->executor);
    if (ran && trace_.info.records_waits()) return ready(idle, ran->executor);
    if (ran) return add(Segment::Kind::Blocked, idle);
    if (is_operation(trace_, task)) return wait_for_event(task);
    // A new coroutine is not runnable until another task resumes it.
    const TaskIndex starter = waits_.started_by[task_];
    if (waits_.first_run[task_] == time_ && starter != no_index && visited_[starter] != time_) {
      const Model::Activation* resumes = last_activation(starter);
      if (resumes && resumes->end >= time_) return go_to(starter);
    }
    if (waits_.first_run[task_] == Waits::never && !trace_.info.records_waits())
      return add(Segment::Kind::External, task.start);
    ready(task.start, task.executor);
  }

  bool ended_before(const Model::Task& task) const {
    return task.how != Model::End::Open && task.end < time_;
  }

  // The time after a task's end belongs to no task.
  void after_end(const Model::Task& task, uint64_t end) {
    if (task.how == Model::End::Became && visited_[task.becomes] != time_)
      return go_to(task.becomes);
    const TaskIndex ended = std::exchange(task_, no_index);
    add(Segment::Kind::External, end);
    task_ = ended;
  }

  // Created outside any task, e.g. by main(): continues with the task that ran there before.
  void created_outside(const Model::Task& task) {
    const auto earlier = busiest_.between(task.executor, from_, time_);
    const Model::Activation* last = earlier.empty() ? nullptr : &model_.activations[earlier.back()];
    task_ = no_index;
    if (last == nullptr && task.pre_existing) return;
    if (last == nullptr || last->end < time_)
      add(Segment::Kind::External, last == nullptr ? from_ : last->end);
    if (last != nullptr) go_to(last->task);
  }

  // An operation that ran first at time_. A timer that was due earlier waited for its thread, if
  // another task kept this busy.
  void wait_for_event(const Model::Task& task) {
    const Model::Concern* use = model_.concern(task_);
    if (use != nullptr && use->expires != 0 && use->expires < time_) {
      const uint64_t due = std::max({use->expires, task.start, from_});
      const TaskIndex busy = busiest_.on(executor_at(task_, time_), due, time_, task_);
      if (busy != no_index) return add(Segment::Kind::Ready, due, busy);
    }
    const Model::Cancel* cancel = task.how == Model::End::Failed ? last_cancel(use) : nullptr;
    if (cancel != nullptr && cancel->by != no_index && cancel->by != task_ &&
        cancel->time > std::max(task.start, from_)) {
      add(Segment::Kind::Ready, cancel->time,
          busiest_.on(executor_at(task_, time_), cancel->time, time_, task_));
      return go_to(cancel->by);
    }
    add(Segment::Kind::External, task.start);
  }

  // The executor on which the task ran from `time`; if none, the one that created it.
  uint32_t executor_at(TaskIndex task, uint64_t time) const {
    const auto& all = model_.activations;
    auto at = std::partition_point(all.begin(), all.end(),
                                   [&](const auto& run) { return run.start < time; });
    for (; at != all.end() && at->start == time; ++at)
      if (at->task == task) return at->executor;
    return model_.tasks[task].executor;
  }

  void ready(uint64_t begin, uint32_t executor) {
    begin = std::max(begin, from_);
    // Segments do not overlap, so all queries together visit each activation once.
    add(Segment::Kind::Ready, begin, busiest_.on(executor, begin, time_, task_));
    add_cpu_wait(executor);
  }

  // To the last segment, during which its task ran or waited on this executor.
  void add_cpu_wait(uint32_t executor) {
    if (threads_.empty()) return;
    Segment& last = path_.back();
    const auto times = threads_.times(executor, last.begin, last.end);
    if (!times) return;
    last.cpu_wait = times->waited_for_cpu();
    last.ran_instead = threads_.ran_instead(executor, last.begin, last.end);
  }

  // Until time_ it waits: continues with the waker, or with the current target.
  void blocked(const Waits::Wait& wait, uint64_t idle) {
    const bool ended = wait.ready == time_;
    const bool has_waker = ended && wait.waker != no_index;
    const TaskIndex cause = has_waker ? wait.waker : holder_or_task(wait.on);
    if (cause != no_index && visited_[cause] != time_ && !model_.tasks[cause].is_resource &&
        model_.tasks[cause].start < time_ && (has_waker || !ended_before(model_.tasks[cause])))
      return go_to(cause);
    add(Segment::Kind::Blocked, std::max(wait.begin, idle), wait.on, wait.location);
  }

  TaskIndex holder_or_task(TaskIndex on) const {
    if (on == no_index || !model_.tasks[on].is_resource) return on;
    for (uint32_t i = waits_.last_holding[on]; i != none; i = waits_.holdings[i].before) {
      const Waits::Holding& holding = waits_.holdings[i];
      if (holding.begin < time_) return holding.end >= time_ ? holding.holder : no_index;
    }
    return no_index;
  }

  void go_to(TaskIndex task) {
    if (task != no_index && visited_[task] == time_) task = no_index;
    task_ = task;
  }

  void add(Segment::Kind kind, uint64_t begin, TaskIndex on = no_index, uint32_t location = 0) {
    begin = std::max(begin, from_);
    path_.push_back({begin, time_, task_, on, location, kind});
    time_ = begin;
  }

  // Of the object that an operation uses, before time_.
  const Model::Cancel* last_cancel(const Model::Concern* use) {
    if (use == nullptr || use->object == none) return nullptr;
    uint32_t& at =
        cancel_.try_emplace(use->object, model_.objects[use->object].last_cancel).first->second;
    while (at != none && model_.cancels[at].time >= time_) at = model_.cancels[at].before;
    return at == none ? nullptr : &model_.cancels[at];
  }

  // time_ and these positions only go back, so all calls together are linear.
  const Model::Activation* last_activation(TaskIndex task) {
    uint32_t& at = activation_[task];
    while (at != none && model_.activations[at].start >= time_) at = before_[at];
    return at == none ? nullptr : &model_.activations[at];
  }
  const Waits::Wait* last_wait() {
    uint32_t& at = wait_[task_];
    while (at != none && waits_.waits[at].begin >= time_) at = waits_.waits[at].before;
    return at == none ? nullptr : &waits_.waits[at];
  }

  const Trace& trace_;
  const Model& model_;
  const Waits& waits_;
  uint64_t from_;
  const ThreadIntervals threads_;
  std::vector<uint32_t> wait_;                     // by task, its last wait before time_
  std::vector<uint32_t> activation_;               // by task, its last activation before time_
  std::vector<uint32_t> before_;                   // by activation, the previous one of its task
  std::unordered_map<uint32_t, uint32_t> cancel_;  // by object, its last cancel before time_
  std::vector<uint64_t> visited_;                  // by task, the time_ of its last visit
  Busiest busiest_{model_};
  std::vector<Segment> path_;
  TaskIndex task_ = no_index;
  uint64_t time_ = 0;
};

}  // namespace

std::string_view name(Segment::Kind kind) {
  constexpr std::array<std::string_view, 5> names = {"running", "runnable", "waiting", "external",
                                                     "before the trace"};
  return names[static_cast<size_t>(kind)];
}

std::vector<Segment> critical_path(const Trace& trace, const Model& model, const Waits& waits,
                                   TaskIndex task, uint64_t from, uint64_t to) {
  if (from >= to) return {};
  return Walk(trace, model, waits, from).back(task, to);
}

TaskIndex last_of_program(const Trace& trace, const Model& model, const Waits& waits) {
  if (trace.info.records_waits()) {
    const std::vector<Diagnosis> found = diagnose_all(trace, model, waits);
    if (!found.empty() && found.front().is_error()) return found.front().chain.front().task;
    TaskIndex last = no_index;
    for (TaskIndex i = 0; i < model.tasks.size(); i++) {
      const Model::Task& task = model.tasks[i];
      const bool has_ended = task.how == Model::End::Resolved || task.failed();
      if (!has_ended || task.is_scope || kind_class(trace, task) != KindClass::Runnable) continue;
      if (last == no_index || task.end >= model.tasks[last].end) last = i;
    }
    if (last != no_index) return last;
  }
  return current_at(model, model.end);
}

TaskIndex current_at(const Model& model, uint64_t time) {
  const auto after = std::partition_point(
      model.activations.begin(), model.activations.end(),
      [&](const Model::Activation& activation) { return activation.start < time; });
  // With several executors, the activation that reaches closest to `time`. Activations that are
  // older than the last thousand are not considered, even if they still last.
  constexpr ptrdiff_t most = 1'000;
  const auto first = after - std::min(most, after - model.activations.begin());
  const auto found = std::max_element(first, after, [&](const auto& a, const auto& b) {
    return std::min(a.end, time) < std::min(b.end, time);
  });
  return found == after ? no_index : found->task;
}

}  // namespace skein
