#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "trace/ask/busy_thread.h"
#include "trace/ask/closed_connection.h"
#include "trace/ask/diagnosis.h"
#include "trace/ask/doctor/lints.h"
#include "trace/ask/doctor/lock_order.h"
#include "trace/ask/handler_queue.h"
#include "trace/ask/none.h"

namespace skein::detail {

namespace {

using Severity = Finding::Severity;

// O(events): only on demand.
std::vector<bool> find_discarded(const Trace& trace, const Model& model) {
  std::vector<bool> discarded(model.tasks.size(), false);
  const Events& events = trace.events;
  std::vector<TaskId> just_created(trace.executors.size() + 1, no_task);
  for (size_t i = 0; i < events.size(); i++) {
    TaskId& created = just_created[std::min<size_t>(events.executor[i], trace.executors.size())];
    const EventKind kind = events.kind[i];
    if (kind == EventKind::Create) {
      created = events.task[i];
    } else if (events.task[i] != created) {
      created = no_task;
    } else if (kind == EventKind::Cancel) {
      if (const TaskIndex task = model.find(created); task != no_index) discarded[task] = true;
      created = no_task;
    }
  }
  return discarded;
}

class TaskLints {
 public:
  TaskLints(LintContext& context, Findings& found)
      : context_(context),
        options_(context.options),
        model_(context.model),
        waits_(context.waits),
        found_(found),
        waited_for_by_(model_.tasks.size(), none),
        lock_kept_by_(model_.tasks.size(), none) {
    for (const Model::Activation& a : model_.activations) last_run_ = std::max(last_run_, a.start);
    for (const Waits::Wait& w : waits_.waits)
      if (w.is_open() && w.on != no_index && context_.is_open(w.task))
        waited_for_by_[model_.last_self(w.on)] = context_.index_of(w);
    for (uint32_t i = 0; i < waits_.holdings.size(); i++) {
      const Waits::Holding& h = waits_.holdings[i];
      if (h.holder != no_index && context_.is_mutex(h.resource) &&
          is_held(context_.trace, model_, h))
        lock_kept_by_[h.holder] = i;
    }
  }

  void run() {
    for (TaskIndex i = 0; i < model_.tasks.size(); i++) {
      const Model::Task& t = context_.task(i);
      if (t.is_resource || t.is_scope || t.how == Model::End::Became) continue;
      if (!context_.was_destroyed(i) && !context_.is_open(i)) continue;
      const KindClass kind = context_.kind_class(i);
      if (kind == KindClass::Operation)
        look_at_operation(i);
      else if (!has_run(i) && kind == KindClass::Runnable && !may_be_awaited(i))
        look_at_unstarted(i, Lint::NeverStarted, starvation_threshold_ns);
      else if (!has_run(i) && context_.is_handler(i))
        look_at_handler(i);
      else if (context_.was_destroyed(i))
        look_at_destroyed(i);
    }
  }

 private:
  bool has_run(TaskIndex i) const {
    return waits_.first_run[i] != Waits::never ||
           (context_.task(i).pre_existing && context_.trace.live_tasks.empty());
  }

  // Whether its creator, which is live, may await it later: lazy tasks are often created first and
  // run one after the other.
  bool may_be_awaited(TaskIndex i) const {
    const TaskIndex parent = context_.task(i).parent;
    return !options_.strict && !context_.task(i).should_resolve && context_.is_open(i) &&
           parent != no_index && context_.is_open(parent);
  }

  void look_at_handler(TaskIndex i) {
    if (context_.kind_class(i) == KindClass::Callback && !options_.strict)
      return;  // its event did not occur
    if ((is_served(i) || is_of_destruction(i)) && !options_.strict) return;
    look_at_unstarted(i, Lint::HandlerNeverInvoked, context_.limit(Lint::HandlerNeverInvoked),
                      is_behind_jobs(i) ? Severity::Note : Severity::Warning);
  }

  // Whether it waits in a thread pool, one of whose threads still runs a task.
  bool is_behind_jobs(TaskIndex i) {
    if (context_of(context_.trace, model_, i) != thread_pool) return false;
    if (!pool_runs_) {
      const std::vector<bool> pool = find_pool_threads(context_.trace, model_);
      pool_runs_ = std::any_of(
          model_.activations.begin(), model_.activations.end(), [&](const auto& run) {
            return run.task != no_index && waits_.running[run.task] && run.executor < pool.size() &&
                   pool[run.executor];
          });
    }
    return *pool_runs_;
  }

  // Whether a library posted it when its event loop was destroyed, and destroyed it with the rest:
  // it has no place in the program.
  bool is_of_destruction(TaskIndex i) const {
    const Model::Task& t = context_.task(i);
    const bool is_of_task = t.parent != no_index && !context_.was_destroyed(t.parent);
    return t.location == 0 && !is_of_task && context_.was_destroyed(i) &&
           t.end - t.start < context_.limit(Lint::HandlerNeverInvoked);
  }

  // Whether the handler's context, or its strand, has begun another one since, within the limit
  // before the end, or that one has not run longer than others did: a queue.
  bool is_served(TaskIndex i) {
    if (context_.kind_class(i) != KindClass::Handler) return false;
    if (queues_.empty())
      for (const Model::Activation& run : model_.activations)
        if (run.task != no_index && context_.kind_class(run.task) == KindClass::Handler) {
          Queue& queue = queues_[queue_of(run.task)];
          if (run.start >= queue.begun) {
            queue.begun = run.start;
            queue.runs = waits_.running[run.task];
          }
          if (!waits_.running[run.task])
            queue.longest = std::max(queue.longest, run.end - run.start);
        }
    const auto at = queues_.find(queue_of(i));
    if (at == queues_.end() || at->second.begun <= context_.task(i).start) return false;
    const auto& [begun, runs, longest] = at->second;
    const uint64_t limit = context_.limit(Lint::HandlerNeverInvoked);
    return model_.end - begun < (runs ? std::max(limit, longest + longest / 2) : limit);
  }
  // "thread_pool" of "thread_pool.post", and the strand.
  std::pair<std::string_view, uint32_t> queue_of(TaskIndex i) const {
    return {context_of(context_.trace, model_, i), strand_of(model_, i)};
  }

  void look_at_unstarted(TaskIndex i, Lint lint, uint64_t least,
                         Severity unexpected = Severity::Warning) {
    const Model::Task& t = context_.task(i);
    const bool destroyed = context_.was_destroyed(i);
    const uint64_t end = destroyed ? t.end : model_.end;
    const uint64_t age = end - std::min(end, t.start);
    const bool at_the_end = !destroyed || is_at_the_end(t.end);
    Severity severity = t.should_resolve ? Severity::Error : unexpected;
    if (lint == Lint::NeverStarted && !t.should_resolve && is_optional(i)) {
      if (!options_.strict) return;
      severity = Severity::Note;
    }
    const bool is_task = destroyed && lint == Lint::NeverStarted;
    if (at_the_end && age < least && !(is_task && was_discarded(i))) {
      if (!options_.strict && !(is_task && was_destroyed_by_creator(i))) return;
      severity = Severity::Note;
    }
    if (lint == Lint::NeverStarted && !destroyed && !t.should_resolve && may_be_queued(i))
      severity = Severity::Note;
    const bool is_spare = lint == Lint::NeverStarted && !t.should_resolve && may_be_spare(i);
    if (is_spare || (lint == Lint::NeverStarted && !t.should_resolve && is_precaution(i)))
      severity = Severity::Note;
    found_.add({.lint = lint,
                .severity = severity,
                .task = i,
                .other = is_spare ? t.parent : no_index,
                .begin = t.start,
                .end = end,
                .duration = age,
                .location = t.location});
  }

  // Whether it may wait in a queue that is served: a thread runs a task, or has just begun one that
  // had been created before it.
  bool may_be_queued(TaskIndex i) {
    constexpr uint64_t just_now = 100'000'000;  // ns
    if (waits_.any_running) return true;
    if (begun_by_creation_.empty()) {
      for (TaskIndex other = 0; other < model_.tasks.size(); other++)
        if (waits_.first_run[other] != Waits::never)
          begun_by_creation_.emplace_back(context_.task(other).start, waits_.first_run[other]);
      std::sort(begun_by_creation_.begin(), begun_by_creation_.end());
      for (size_t k = 1; k < begun_by_creation_.size(); k++)
        begun_by_creation_[k].second =
            std::max(begun_by_creation_[k].second, begun_by_creation_[k - 1].second);
    }
    uint64_t since = context_.task(i).start;
    const auto after = std::upper_bound(begun_by_creation_.begin(), begun_by_creation_.end(),
                                        std::pair(since, UINT64_MAX));
    if (after != begun_by_creation_.begin()) since = std::max(since, (after - 1)->second);
    return model_.end - std::min(model_.end, since) < just_now;
  }

  // Then it was not destroyed because the program is exiting.
  bool was_destroyed_by_creator(TaskIndex i) const {
    const Waits::LastEvent& event = waits_.last_events[i];
    return event.kind == EventKind::Cancel && event.by != no_index &&
           event.by == context_.task(i).parent;
  }

  // Whether no task ran after `time`: the program is exiting.
  bool is_at_the_end(uint64_t time) const { return time > last_run_; }

  // Whether it was one of a list of lazy tasks, of which another started: the program starts as
  // many as it needs. Or a generator, which is used if its values are.
  bool is_optional(TaskIndex i) {
    const Model::Task& t = context_.task(i);
    const uint64_t end = context_.was_destroyed(i) ? t.end : model_.end;
    if (was_discarded(i)) return false;
    if (context_.kind(i) == "generator") return true;
    const Started* group = started_like(i);
    return group != nullptr && group->first_created < end && group->last_started > t.start;
  }

  // Whether its creator destroyed it and started others like it: it may create one in case it needs
  // it. (All coroutines of a function compiled by g++ have one place.)
  bool may_be_spare(TaskIndex i) {
    return was_destroyed_by_creator(i) && !was_discarded(i) && started_like(i) != nullptr;
  }

  using Place = std::tuple<StringId, uint32_t, TaskIndex>;  // name, location, creator
  Place place_of(TaskIndex i) const {
    const Model::Task& t = context_.task(i);
    return {t.name, t.location, t.parent};
  }

  // Whether its creator kept several like it for a while, and none ran: each may be for a case that
  // did not occur, such as the failure of another.
  bool is_precaution(TaskIndex i) {
    constexpr size_t fewest = 3;
    if (!was_destroyed_by_creator(i) || was_discarded(i)) return false;
    if (kept_.empty())
      for (TaskIndex other = 0; other < model_.tasks.size(); other++)
        if (waits_.first_run[other] == Waits::never && was_destroyed_by_creator(other) &&
            !was_discarded(other))
          kept_[place_of(other)]++;
    return kept_[place_of(i)] >= fewest;
  }

  struct Started {
    uint64_t first_created = UINT64_MAX;
    uint64_t last_started = 0;
  };
  // Of the tasks with its name, place and creator that ran; null if there is none.
  const Started* started_like(TaskIndex i) {
    const Model::Task& t = context_.task(i);
    if (t.location == 0 && t.name == 0) return nullptr;
    if (started_.empty())
      for (TaskIndex other = 0; other < model_.tasks.size(); other++) {
        const Model::Task& task = context_.task(other);
        if (waits_.first_run[other] == Waits::never || task.is_resource) continue;
        Started& group = started_[place_of(other)];
        group.first_created = std::min(group.first_created, task.start);
        group.last_started = std::max(group.last_started, waits_.first_run[other]);
      }
    const auto group = started_.find(place_of(i));
    return group == started_.end() ? nullptr : &group->second;
  }

  // Whether it was destroyed directly after its creation, so that no other task can refer to it.
  bool was_discarded(TaskIndex i) {
    if (discarded_.empty()) discarded_ = find_discarded(context_.trace, model_);
    return discarded_[i];
  }

  void look_at_operation(TaskIndex i) {
    const Model::Task& t = context_.task(i);
    const uint64_t age = model_.end - std::min(model_.end, t.start);
    Candidate c{.lint = Lint::OperationPending,
                .severity = Severity::Note,
                .task = i,
                .begin = t.start,
                .end = model_.end,
                .duration = age,
                .location = t.location,
                .index = waited_for_by_[i]};
    if (context_.was_destroyed(i)) {
      if (!options_.strict || waits_.first_run[i] != Waits::never) return;
      c.lint = Lint::HandlerNeverInvoked;
      c.end = t.end;
      c.duration = t.end - std::min(t.end, t.start);
    } else if (t.should_resolve) {
      c.severity = Severity::Error;
    }
    // A send that lasts is worth a note: its peer does not read, or reads slowly.
    const bool waits_long =
        sends(context_.trace, model_, i) && age >= context_.limit(Lint::OperationPending) &&
        !find_busy_thread({context_.trace, model_, waits_}, i, is_end_known(model_));
    if (c.severity == Severity::Note && !waits_long && !options_.strict) return;
    // The diagnosis of the task that waits for it is an error.
    if (c.severity == Severity::Note && c.index != none &&
        find_closed(context_.trace, model_, i) != no_index)
      return;
    if (c.index != none) c.other = waits_.waits[c.index].task;
    found_.add(c);
  }

  void look_at_destroyed(TaskIndex i) {
    const Model::Task& t = context_.task(i);
    const uint32_t waiter = waited_for_by_[i];
    const bool matters = t.should_resolve || waiter != none || lock_kept_by_[i] != none;
    if (!matters && !options_.strict) return;
    if (waiter != none) context_.explain(waiter);
    found_.add({.lint = Lint::DestroyedUnresolved,
                .severity = matters ? Severity::Error : Severity::Note,
                .task = i,
                .other = waiter != none ? waits_.waits[waiter].task : no_index,
                .begin = t.start,
                .end = t.end,
                .location = t.location,
                .index = waiter,
                .second = lock_kept_by_[i]});
  }

  LintContext& context_;
  const DoctorOptions& options_;
  const Model& model_;
  const Waits& waits_;
  Findings& found_;
  // By the time of creation: when the last of the tasks created until then began.
  std::vector<std::pair<uint64_t, uint64_t>> begun_by_creation_;
  // When a context or strand began its last handler, if known.
  std::optional<bool> pool_runs_ = {};  // a thread of a pool, at the end; empty: not known yet
  // The handlers of a context or strand.
  struct Queue {
    uint64_t begun = 0;    // when it began the last one
    bool runs = false;     // that one
    uint64_t longest = 0;  // of those that have ended, ns
  };
  std::map<std::pair<std::string_view, uint32_t>, Queue> queues_ = {};
  uint64_t last_run_ = 0;  // the time of the last run of any task
  // By task, at the end of the trace: the last wait for it by a live task; the last lock it holds.
  std::vector<uint32_t> waited_for_by_;
  std::vector<uint32_t> lock_kept_by_;
  // The tasks that ran, by name, location and parent. Empty: not computed yet.
  std::map<Place, Started> started_;
  std::map<Place, size_t> kept_;  // tasks that never ran, and that their creator destroyed
  std::vector<bool> discarded_;   // by task; empty: not computed yet
};

}  // namespace

void add_task_findings(LintContext& context, Findings& found) { TaskLints(context, found).run(); }

}  // namespace skein::detail
