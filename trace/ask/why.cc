#include "trace/ask/why.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/stable_sort.h"
#include "trace/ask/chain_walker.h"
#include "trace/ask/handler_queue.h"
#include "trace/ask/relocked.h"
#include "trace/ask/suspicion.h"
#include "trace/ask/task_kinds.h"
#include "trace/model/id_map.h"

namespace skein {

namespace {

// What the text says of the object that it waits for, but for which object it is. Of one for which
// several tasks wait, the last to pass may be any of them; and one for which only this task waits
// may have the address of an earlier object.
uint64_t object_situation(const Model& model, const Diagnosis& d) {
  if (!d.awaited) return 0;
  enum : uint64_t { NotPassed = 1, Ended, WaitsAgain, WaitsElsewhere, Lives };
  const AwaitedObjectWait& wait = *d.awaited;
  const bool is_own = wait.last == d.chain.back().task;
  const uint64_t last = wait.last == no_index       ? NotPassed
                        : is_own                    ? WaitsAgain
                        : !model.is_open(wait.last) ? wait.others == 0 ? NotPassed : Ended
                        : !d.last_awaits            ? Lives
                        : d.last_awaits->address == wait.address ? WaitsAgain
                                                                 : WaitsElsewhere;
  return uint64_t{wait.other_location} << 32 | uint64_t{wait.others != 0} << 8 | last;
}

uint64_t waits_since(const Model& model, const Waits& waits, const Diagnosis& d) {
  const Diagnosis::Step& first = d.chain.front();
  return first.wait == Waits::none ? model.tasks[first.task].start : waits.waits[first.wait].begin;
}

// A hash that is equal for diagnoses that differ only in the identity of their tasks: an error
// never equals one that is none. Of tasks that wait for an answer, those that wait for different
// peers differ.
uint64_t similarity_hash(const Trace& trace, const Model& model, const Waits& waits,
                         const Diagnosis& d) {
  uint64_t hash = 0xcbf29ce484222325;  // FNV-1a, of numbers instead of bytes
  const auto add = [&](uint64_t number) { hash = (hash ^ number) * 0x100000001b3 ^ hash >> 29; };
  // Of a cycle, whichever of its tasks comes first.
  if (d.is_cycle()) {
    uint64_t members = 0;
    for (size_t i = d.cycle_begin; i < d.chain.size(); i++)
      members += (d.chain[i].task + uint64_t{1}) * 0x9e3779b97f4a7c15;
    add(members);
    return hash >> 1;
  }
  add(static_cast<uint64_t>(d.verdict) << 2 | uint64_t{d.expected} << 1 | d.is_error());
  add(d.notification);
  add(d.cancel);
  add(d.traffic ? 1 + d.traffic->awaits_reply() : 0);
  add(d.busy_thread ? 1 + d.busy_thread->task : 0);
  add(d.on_their_way ? 1 + d.on_their_way->busy : 0);
  add(uint64_t{d.ended_relay.has_value()} << 1 | d.read_ahead.has_value());
  // A connection on which nothing has moved for long differs from one that is in use.
  add(uint64_t{d.mutual_receives.has_value()} << 1 |
      (d.mutual_receives && d.mutual_receives->only_senders_wait));
  add(object_situation(model, d));
  if (d.relocked) add(d.relocked->location);
  // Of a place where many wait for a moment, those that wait for long differ.
  if (is_end_known(model)) add(waits_shortly(model, waits, d));
  if (d.asks) add(std::hash<std::string_view>()(peer_of(trace, model, d.chain.back().task)));
  for (const Diagnosis::Step& step : d.chain) {
    const Model::Task& task = model.tasks[step.task];
    add(uint64_t{task.kind} << 32 | task.location);
    add(uint64_t{task.name} << 32 |
        (step.wait == Waits::none ? 0 : waits.waits[step.wait].location));
    // A task without a location has a label.
    if (task.location == 0) add(task.label);
  }
  return hash >> 1;  // never equals no_task
}

// Finds crowds: tasks that wait at a location where none has ever continued. Of tasks that wait for
// others, at the location of the first wait.
void find_crowds(const Waits& waits, std::vector<Diagnosis>& found) {
  struct Crowd {
    std::vector<Diagnosis*> diagnoses = {};
    uint64_t until = Waits::never;
    size_t count = 0;
  };
  std::unordered_map<uint32_t, Crowd> crowds;  // by location
  for (Diagnosis& d : found) {
    const uint32_t wait = d.chain.front().wait;
    if (wait == Waits::none || d.similar.size() + 1 < crowd) continue;
    const bool is_alone = d.verdict == Verdict::Unknown && d.chain.size() == 1;
    const bool has_callee = d.verdict == Verdict::External && d.chain.size() > 2;
    if (is_alone || has_callee) crowds[waits.waits[wait].location].diagnoses.push_back(&d);
  }
  if (crowds.empty()) return;
  for (const Waits::Wait& wait : waits.waits) {
    const auto at = crowds.find(wait.location);
    if (at == crowds.end()) continue;
    at->second.until = wait.begin;
    at->second.count++;
    if (!wait.is_open()) crowds.erase(at);
  }
  for (const auto& [location, at] : crowds)
    for (Diagnosis* d : at.diagnoses) {
      d->crowd_until = at.until;
      d->crowd_count = at.count;
    }
}

void add_overtaken(const Subject& subject, std::span<Diagnosis> found) {
  std::optional<Places> places;
  for (Diagnosis& d : found) {
    if (d.verdict != Verdict::Unknown && d.verdict != Verdict::NeverExpires &&
        d.verdict != Verdict::LostWakeup)
      continue;
    uint32_t wait = Waits::none;
    for (const Diagnosis::Step& step : d.chain)
      if (step.wait != Waits::none) wait = step.wait;
    if (wait == Waits::none) continue;
    if (!places) places.emplace(subject);
    d.overtaken = places->overtaken(wait);
  }
}

// The walker, and what it does not know: the locks of the program's own.
class Diagnoser {
 public:
  explicit Diagnoser(const Subject& e) : subject_(e), walker_(e) {
    for (const OwnLockWait& lock : find_own_locks(e)) locks_.try_emplace(lock.operation, lock);
  }
  // All but the blocker and what depends on other diagnoses.
  Diagnosis diagnose(TaskIndex task) {
    Diagnosis d = walker_.diagnose(task);
    walker_.measure_starvation(d);
    if (const auto lock = locks_.find(d.chain.back().task);
        lock != locks_.end() && d.verdict != Verdict::Ok &&
        (lock->second.was_released || d.is_hopeless())) {
      d.own_lock = lock->second;
      d.verdict = Verdict::Deadlock;
    }
    if (d.verdict == Verdict::Unknown && d.awaited && d.started.empty()) add_relocked(d);
    return d;
  }
  ChainWalker& walker() { return walker_; }

 private:
  void add_relocked(Diagnosis& d) {
    if (!relocked_) relocked_ = find_relocked(subject_);
    const auto found = relocked_->find(d.chain.back().task);
    if (found == relocked_->end()) return;
    d.relocked = found->second;
    if (d.relocked->is_deadlock) d.verdict = Verdict::Deadlock;
  }

  const Subject subject_;
  ChainWalker walker_;
  std::unordered_map<TaskIndex, OwnLockWait> locks_;                 // by operation
  std::optional<std::unordered_map<TaskIndex, Relocked>> relocked_;  // by waiter, if known
};

// Calls visit(task) for each task that the diagnosis is about.
template <typename Visit>
void each_task(const Diagnosis& d, const Visit& visit) {
  visit(d.chain.front().task);
  for (const TaskIndex task : d.similar) visit(task);
}

bool is_about(const Diagnosis& d, TaskIndex task) {
  return d.chain.front().task == task ||
         std::find(d.similar.begin(), d.similar.end(), task) != d.similar.end();
}

// Judges each similar task, too, by is_error(Diagnosis&), which may complete the diagnosis; those
// that differ from the first get a diagnosis of their own, which is appended.
template <typename IsError>
void split_group(Diagnoser& diagnoser, std::vector<Diagnosis>& found, size_t at,
                 const IsError& is_error) {
  const bool is_first_error = is_error(found[at]);
  std::optional<Diagnosis> others;
  std::erase_if(found[at].similar, [&](TaskIndex task) {
    Diagnosis d = diagnoser.diagnose(task);
    if (is_error(d) == is_first_error) return false;
    if (others)
      others->similar.push_back(task);
    else
      others = std::move(d);
    return true;
  });
  if (others) found.push_back(std::move(*others));
}

// Whether a run of the task's function that ended before `since` took at least half of the time
// from then to the end.
bool has_run_as_long(const Model& model, TaskIndex task, uint64_t since) {
  const Model::Task& like = model.tasks[task];
  const uint64_t length = model.end - std::min(model.end, since);
  return std::any_of(model.activations.begin(), model.activations.end(), [&](const auto& run) {
    return run.task != no_index && run.end <= since && run.end - run.start >= length / 2 &&
           model.tasks[run.task].name == like.name &&
           model.tasks[run.task].location == like.location;
  });
}

// Whether several handlers of its context have waited at least half as long before they ran, as
// those of an event loop that main() polls now and then.
bool is_polled(const Subject& s, const Diagnosis& d) {
  constexpr int fewest = 3;
  const TaskIndex last = d.chain.back().task;
  if (kind_class(s.trace, s.model.tasks[last]) != KindClass::Handler) return false;
  const std::string_view context = context_of(s.trace, s.model, last);
  int delayed = 0;
  for (TaskIndex task = 0; task < s.model.tasks.size() && delayed < fewest; task++) {
    const uint64_t run = s.waits.first_run[task];
    delayed += run != Waits::never && run >= s.model.tasks[task].start &&
               run - s.model.tasks[task].start >= d.starved / 2 &&
               kind_class(s.trace, s.model.tasks[task]) == KindClass::Handler &&
               context_of(s.trace, s.model, task) == context;
  }
  return delayed == fewest;
}

// Precondition: its blocker has been looked for.
void find_usual_delay(const Subject& subject, ChainWalker& walker, Diagnosis& d) {
  const Model& model = subject.model;
  if (d.verdict != Verdict::Starved || d.starved < starvation_error_ns) return;
  if (d.blocker == no_index) {
    // After a signal it is no error anyway, and similar ones are judged one by one.
    d.is_usual_delay = d.signal == no_index && is_polled(subject, d);
    return;
  }
  d.is_usual_delay = has_run_as_long(model, d.blocker, model.end - std::min(model.end, d.starved));
  const auto run = std::find_if(model.activations.rbegin(), model.activations.rend(),
                                [&](const auto& one) { return one.task == d.blocker; });
  d.is_pool_delay = run != model.activations.rend() && walker.is_pool_thread(run->executor);
}

// Finds what else ran while the last task was runnable. A handler that did not run after a signal
// is no error, so similar ones are judged one by one.
void find_blockers(const Subject& subject, Diagnoser& diagnoser, std::vector<Diagnosis>& found) {
  const auto is_error = [&](Diagnosis& d) {
    diagnoser.walker().find_blocker(d);
    find_usual_delay(subject, diagnoser.walker(), d);
    return d.is_error();
  };
  for (size_t i = 0, count = found.size(); i < count; i++) {
    is_error(found[i]);
    if (found[i].verdict == Verdict::Starved && found[i].signal != no_index)
      split_group(diagnoser, found, i, is_error);
  }
}

void add_missing_cancels(const Subject& subject, std::span<Diagnosis> found) {
  for (Diagnosis& d : found) {
    const bool is_cancel = d.verdict == Verdict::LostWakeup && d.cancel != Model::Object::none;
    if (d.verdict != Verdict::NeverExpires && !is_cancel) continue;
    d.failed_waker = find_failed_waker(subject, d.chain.back().task);
    std::vector<TaskIndex> callers;
    for (const Diagnosis::Step& step : d.chain) callers.push_back(step.task);
    callers.pop_back();
    d.unreturned = find_unreturned(subject, d.chain.back().task, callers);
  }
}

void add_retried(const Subject& subject, std::span<Diagnosis> found) {
  for (Diagnosis& d : found)
    if (d.verdict == Verdict::NeverExpires && d.chain.size() >= 3)
      d.retried = find_retried(subject, d.chain[d.chain.size() - 2].task);
}

// Whether the task goes on if something wakes it.
bool may_be_woken(Verdict verdict) {
  switch (verdict) {
    case Verdict::NeverNotified:
    case Verdict::LostWakeup:
    case Verdict::External:
    case Verdict::Unknown:
    case Verdict::NeverExpires:
    case Verdict::Running:
      return true;
    default:
      return false;
  }
}

// Whether a task of the chain waits where it has waited before.
bool waits_again(const Waits& waits, const Diagnosis& d) {
  return std::any_of(d.chain.begin(), d.chain.end(), [&](const Diagnosis::Step& step) {
    if (step.wait == Waits::none) return false;
    const Waits::Wait& now = waits.waits[step.wait];
    for (uint32_t w = now.before; w != Waits::none; w = waits.waits[w].before)
      if (waits.waits[w].location == now.location &&
          (now.location != 0 || waits.waits[w].on == now.on))
        return true;
    return false;
  });
}

// Whether all tasks that wait are two or more that wait for objects at one place, called through
// the same lines, where each has waited before and continued: workers without work.
bool is_idle_pool(const Subject& s, Diagnoser& diagnoser, std::span<const Diagnosis> found) {
  const auto place = [&](const Diagnosis::Step& step) {
    const Model::Task& task = s.model.tasks[step.task];
    return std::tuple(location_of(s, step), task.name, task.location);
  };
  size_t tasks = 0;
  for (const Diagnosis& d : found) {
    if (d.verdict != Verdict::Unknown || !d.awaited || !d.started.empty() || d.relocked)
      return false;
    if (!std::equal(d.chain.begin(), d.chain.end(), found.front().chain.begin(),
                    found.front().chain.end(),
                    [&](const auto& a, const auto& b) { return place(a) == place(b); }))
      return false;
    bool all_again = true;
    each_task(d, [&](TaskIndex task) {
      tasks++;
      all_again &= waits_again(s.waits, diagnoser.diagnose(task));
    });
    if (!all_again) return false;
  }
  return tasks >= 2;
}

// Finds the tasks that nothing can wake, because no thread of the process can run again.
void find_asleep(const Subject& subject, Diagnoser& diagnoser, std::vector<Diagnosis>& found) {
  const Waits& waits = subject.waits;
  if (!is_process_asleep(subject)) return;
  if (is_idle_pool(subject, diagnoser, found)) {
    for (Diagnosis& d : found) d.is_idle_pool = true;
    return;
  }
  // Threads that are blocked in a handler no longer serve what else is pending.
  const bool is_blocked = std::any_of(
      found.begin(), found.end(), [](const Diagnosis& d) { return d.verdict == Verdict::Running; });
  const auto is_stuck = [&](const Diagnosis& d) {
    return may_be_woken(d.verdict) && !(is_blocked && d.verdict == Verdict::External);
  };
  std::unordered_set<TaskIndex> stuck;
  for (const Diagnosis& d : found) {
    if (is_stuck(d)) each_task(d, [&](TaskIndex task) { stuck.insert(task); });
  }
  const auto waits_for_started = [&](const Diagnosis& d) {
    return std::any_of(d.started.begin(), d.started.end(),
                       [&](TaskIndex task) { return stuck.contains(task); });
  };
  // Similar tasks may differ in what they have waited for before.
  const auto judge = [&](const auto& is_asleep) {
    bool any = false;
    for (size_t i = 0, count = found.size(); i < count; i++)
      if (is_stuck(found[i]))
        split_group(diagnoser, found, i, [&](Diagnosis& d) {
          any |= d.is_asleep = is_asleep(d);
          return d.is_error();
        });
    return any;
  };
  const bool any = judge([&](const Diagnosis& d) {
    // A coroutine that has returned its result may wait, for nothing, to be destroyed.
    const bool is_known = d.verdict != Verdict::Unknown || d.awaited;
    return is_known && !waits_again(waits, d) && !waits_for_started(d);
  });
  const bool is_explained = std::any_of(found.begin(), found.end(), [](const Diagnosis& d) {
    return d.verdict == Verdict::Deadlock || d.verdict == Verdict::NeverReleased;
  });
  if (any || is_explained) return;
  // The only task left of those that have used an object may be a worker without work.
  const auto may_be_idle = [&](const Diagnosis& d) {
    if (!d.awaited || d.awaited->others != 0 || d.awaited->last == no_index) return false;
    return d.awaited->last == d.chain.back().task || !subject.model.is_open(d.awaited->last);
  };
  const bool any_shared =
      judge([&](const Diagnosis& d) { return !may_be_idle(d) && !waits_for_started(d); });
  if (!any_shared) judge([&](const Diagnosis& d) { return !waits_for_started(d); });
}

// Finds the pools that the running tasks block, and merges those of one function.
void add_blocked_pools(const Subject& subject, std::vector<Diagnosis>& found) {
  std::vector<LastingRun> runs;
  std::vector<TaskIndex> starved;
  std::vector<size_t> of_run;  // indices into found
  for (size_t i = 0; i < found.size(); i++) {
    const Diagnosis& d = found[i];
    if (d.verdict == Verdict::Running) {
      runs.push_back({.task = d.chain.front().task, .executor = d.executor});
      of_run.push_back(i);
    } else if (d.verdict == Verdict::Starved && (d.is_error() || d.is_pool_delay) &&
               d.chain.size() == 1 &&
               kind_class(subject.trace, subject.model.tasks[d.chain.front().task]) ==
                   KindClass::Handler) {
      starved.push_back(d.chain.front().task);
      starved.insert(starved.end(), d.similar.begin(), d.similar.end());
    }
  }
  const auto pools = find_blocked_pools(subject, runs, starved);
  for (size_t i = 0; i < runs.size(); i++) {
    Diagnosis& d = found[of_run[i]];
    const uint64_t length = subject.model.end - std::min(subject.model.end, d.running_since);
    if (length >= blocked_pool_error_ns &&
        !has_run_as_long(subject.model, runs[i].task, d.running_since))
      d.pool = pools[i];
  }
  std::vector<bool> is_merged(found.size());
  for (size_t i = 0; i < runs.size(); i++) {
    Diagnosis& d = found[of_run[i]];
    if (!d.pool || is_merged[of_run[i]]) continue;
    for (size_t j = i + 1; j < runs.size(); j++) {
      const Diagnosis& other = found[of_run[j]];
      if (!other.pool || other.pool->context != d.pool->context ||
          subject.model.tasks[runs[i].task].name != subject.model.tasks[runs[j].task].name ||
          location_of(subject, other.chain.back()) != location_of(subject, d.chain.back()))
        continue;
      d.running_since = std::min(d.running_since, other.running_since);
      d.similar.push_back(runs[j].task);
      is_merged[of_run[j]] = true;
    }
  }
  size_t i = 0;
  std::erase_if(found, [&](const Diagnosis&) { return is_merged[i++]; });
}

// Marks the runs that delay the tasks of errors.
void find_causes(std::vector<Diagnosis>& found) {
  std::unordered_set<TaskIndex> blockers;
  for (const Diagnosis& d : found)
    if (d.verdict == Verdict::Starved && d.blocker != no_index && d.is_error())
      blockers.insert(d.blocker);
  for (Diagnosis& d : found)
    d.is_cause = d.verdict == Verdict::Running && blockers.contains(d.chain.front().task);
}

}  // namespace

Diagnosis diagnose(const Subject& subject, std::span<const Diagnosis> all, TaskIndex task) {
  Diagnoser diagnoser(subject);
  Diagnosis d = diagnoser.diagnose(task);
  // In a damaged trace a task may both run and wait.
  const auto reported = std::find_if(all.begin(), all.end(), [&](const Diagnosis& of) {
    const bool is_other =
        of.verdict == Verdict::Running && d.verdict != Verdict::Ok && !of.is_error();
    return is_about(of, task) && !is_other;
  });
  if (reported != all.end() && reported->verdict == Verdict::Running) {
    d.chain.resize(1);
    d.verdict = Verdict::Running;
    d.expected = reported->expected;
    d.running_since = reported->running_since;
    d.executor = reported->executor;
    d.pool = reported->pool;
    d.is_cause = reported->is_cause;
  }
  diagnoser.walker().find_blocker(d);
  find_usual_delay(subject, diagnoser.walker(), d);
  add_missing_cancels(subject, {&d, 1});
  add_retried(subject, {&d, 1});
  add_overtaken(subject, {&d, 1});
  d.suspicion = reported != all.end() ? reported->suspicion : Suspicions(subject).of(d);
  if (reported != all.end()) {
    d.is_asleep = reported->is_asleep;
    d.is_idle_pool = reported->is_idle_pool;
    return d;
  }
  // Another task waits for it, or none at all.
  d.is_unreported = true;
  const auto waits_for_it = [&](TaskIndex waiter) {
    const std::vector<Diagnosis::Step> chain = diagnoser.walker().diagnose(waiter).chain;
    return std::any_of(chain.begin(), chain.end(),
                       [&](const Diagnosis::Step& step) { return step.task == task; });
  };
  for (const Diagnosis& of : all) {
    if (!of.is_error() || (!d.is_unreported && !of.is_asleep)) continue;
    if (!waits_for_it(of.chain.front().task) &&
        std::none_of(of.similar.begin(), of.similar.end(), waits_for_it))
      continue;
    d.is_unreported = false;
    d.is_asleep |= of.is_asleep;
    if (d.is_asleep) break;
  }
  return d;
}

Diagnosis diagnose(const Trace& trace, const Model& model, const Waits& waits, TaskIndex task) {
  return diagnose({trace, model, waits}, diagnose_all(trace, model, waits), task);
}

std::vector<Diagnosis> diagnose_all(const Trace& trace, const Model& model, const Waits& waits) {
  if (trace.info.is_sampled()) return {};
  const size_t count = model.tasks.size();
  std::vector<uint8_t> waited_for(count, 0);
  for (const Waits::Wait& wait : waits.waits)
    if (wait.is_open() && wait.on != no_index && model.is_open(wait.task))
      waited_for[model.last_self(wait.on)] = 1;

  const Subject subject{trace, model, waits};
  Diagnoser diagnoser(subject);
  std::vector<Diagnosis> found;
  IdMap known;
  enum : uint8_t { Unreported, InChain, InError };
  std::vector<uint8_t> reported(count, Unreported);
  const auto add_diagnosis = [&](TaskIndex task) {
    Diagnosis d = diagnoser.diagnose(task);
    const uint8_t how = d.is_error() ? InError : InChain;
    for (const Diagnosis::Step& step : d.chain)
      reported[step.task] = std::max(reported[step.task], how);
    if (d.verdict == Verdict::Ok) return;
    uint32_t& same = known[similarity_hash(trace, model, waits, d)];
    if (same != IdMap::none) {
      // The first is the one that has waited longest.
      TaskIndex similar = task;
      if (!d.is_cycle() && waits_since(model, waits, d) < waits_since(model, waits, found[same])) {
        similar = found[same].chain.front().task;
        d.similar = std::move(found[same].similar);
        found[same] = std::move(d);
      }
      found[same].similar.push_back(similar);
      return;
    }
    same = static_cast<uint32_t>(found.size());
    found.push_back(std::move(d));
  };
  const auto each_open = [&](const auto& visit) {
    for (TaskIndex task = 0; task < count; task++)
      if (model.is_open(task) && !model.tasks[task].is_resource) visit(task);
  };
  for (TaskIndex task = 0; task < count; task++)
    if (model.tasks[task].should_resolve && model.tasks[task].how == Model::End::Cancelled)
      add_diagnosis(task);
  each_open([&](TaskIndex task) {
    if (!waited_for[task]) add_diagnosis(task);
  });
  // A task marked should_resolve is reported with its waiter if that is an error.
  each_open([&](TaskIndex task) {
    if (model.tasks[task].should_resolve && reported[task] != InError) add_diagnosis(task);
  });
  // A cycle has no task without a waiter.
  each_open([&](TaskIndex task) {
    if (reported[task] == Unreported) add_diagnosis(task);
  });
  each_open([&](TaskIndex task) {
    const auto run = diagnoser.walker().run_at_end(task);
    if (!run || model.tasks[task].is_scope) return;
    if (is_end_known(model) && model.end - std::min(model.end, run->since) < running_threshold_ns)
      return;
    Diagnosis d;
    d.chain.push_back({.task = task});
    d.verdict = Verdict::Running;
    d.running_since = run->since;
    d.executor = run->executor;
    found.push_back(std::move(d));
  });
  find_blockers(subject, diagnoser, found);
  find_causes(found);
  add_blocked_pools(subject, found);
  find_asleep(subject, diagnoser, found);
  add_missing_cancels(subject, found);
  add_retried(subject, found);
  add_overtaken(subject, found);
  find_crowds(waits, found);
  for (Diagnosis& d : found)
    if (d.similar.size() + 1 >= crowd)
      d.outlived = find_outlived(trace, model, d.chain.front().task);
  const Suspicions suspicions(subject);
  for (Diagnosis& d : found) d.suspicion = suspicions.of(d);
  const auto order = [&](const Diagnosis& d) {
    return std::pair(d.suspicion, waits_since(model, waits, d));
  };
  stable_sort(found, [&](const auto& a, const auto& b) { return order(a) < order(b); });
  return found;
}

}  // namespace skein
