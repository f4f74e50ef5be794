#include "trace/ask/divergence.h"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "trace/ask/none.h"
#include "trace/ask/task_kinds.h"

namespace skein {

namespace {

using DivergenceKind = Divergence::Kind;
using End = Model::End;

class Comparison {
 public:
  Comparison(const Subject& good, const Subject& bad, const Alignment& aligned)
      : good_(good),
        bad_(bad),
        aligned_(aligned),
        good_hashes_(aligned.good),
        bad_hashes_(aligned.bad),
        good_is_complete_(is_complete(good)) {}

  std::vector<Divergence> find() {
    add_stuck();
    add_failed();
    sort_from(0);
    const size_t wrong = found_.size();
    add_only_in(good_, good_hashes_, bad_hashes_, DivergenceKind::OnlyInGood);
    add_only_in(bad_, bad_hashes_, good_hashes_, DivergenceKind::OnlyInBad);
    sort_from(wrong);
    return std::move(found_);
  }

 private:
  using Wait = Waits::Wait;

  TaskIndex in_good(TaskIndex bad) const {
    return bad == no_index ? no_index : aligned_.in_good[bad];
  }
  TaskIndex in_bad(TaskIndex good) const {
    return good == no_index ? no_index : aligned_.in_bad[good];
  }

  // --- Different outcomes ---

  // Limits of the diagnosed tasks: per group of similar tasks, and in total.
  static constexpr size_t most_similar = 16;
  static constexpr size_t most_diagnosed = 256;

  void add_stuck() {
    size_t diagnosed = 0;
    const std::vector<Diagnosis> all = diagnose_all(bad_.trace, bad_.model, bad_.waits);
    for (const Diagnosis& d : all) {
      std::vector<TaskIndex> similar = d.similar;
      similar.insert(similar.begin(), d.chain.front().task);
      std::erase_if(similar, [&](TaskIndex task) {
        const TaskIndex good = in_good(task);
        return good == no_index || good_.model.is_open(good) || !bad_.model.is_open(task);
      });
      for (size_t i = 0; i < similar.size() && i < most_similar; i++) {
        if (diagnosed++ == most_diagnosed) return;
        ask(all, d, similar[i], i + 1 == most_similar ? similar.size() - i : 1);
      }
    }
  }

  // Explains one task with diagnosis `d` of `all`, on behalf of `count` such tasks.
  void ask(std::span<const Diagnosis> all, const Diagnosis& d, TaskIndex task, uint64_t count) {
    const Diagnosis of_this = task == d.chain.front().task ? d : diagnose(bad_, all, task);
    if (!d.is_error() && !good_is_complete_ && !lasts_too_long(of_this)) return;
    visited_.clear();
    std::optional<Divergence> divergence = explain(of_this);
    if (!divergence) return;
    divergence->victim = of_this;
    divergence->tasks = count;
    add(std::move(*divergence));
  }

  // Whether every task that ran has ended.
  static bool is_complete(const Subject& run) {
    for (TaskIndex task = 0; task < run.model.tasks.size(); task++)
      if (run.model.is_open(task) && run.waits.first_run[task] != Waits::never) return false;
    return true;
  }

  // A task that waits for an external event may have been about to end when the trace did.
  bool lasts_too_long(const Diagnosis& d) const {
    const uint32_t bad = last_wait_of(d);
    if (bad == none) return false;
    const uint32_t good = counterpart(bad);
    if (good == none) return true;
    const Wait& ended = good_.waits.waits[good];
    if (ended.ready == Waits::never) return false;
    const uint64_t usual = ended.ready - ended.begin;
    const uint64_t lasted = bad_.model.end - bad_.waits.waits[bad].begin;
    return lasted > std::max<uint64_t>(starvation_threshold_ns, usual * 10);
  }

  void add_failed() {
    std::unordered_map<uint64_t, size_t> known;  // by hash: merges equal failures of many tasks
    for (TaskIndex bad = 0; bad < aligned_.in_good.size(); bad++) {
      const TaskIndex good = aligned_.in_good[bad];
      if (good == no_index) continue;
      const Model::Task& was = good_.model.tasks[good];
      const Model::Task& is = bad_.model.tasks[bad];
      const bool fails = is.how == End::Failed || is.how == End::Cancelled;
      if (!fails || is.how == was.how || was.how == End::Open || is_operation(bad_.trace, is))
        continue;
      const auto [at, is_new] =
          known.try_emplace(bad_hashes_.tasks[bad] + static_cast<uint64_t>(is.how), found_.size());
      if (is_new)
        found_.push_back({.kind = DivergenceKind::OtherEnd,
                          .good = end_of(good_, good),
                          .bad = end_of(bad_, bad)});
      else
        found_[at->second].tasks++;
    }
  }

  static CausalEvent end_of(const Subject& run, TaskIndex task) {
    const Model::Task& ended = run.model.tasks[task];
    const EventKind kind = ended.how == End::Failed      ? EventKind::Fail
                           : ended.how == End::Cancelled ? EventKind::Cancel
                                                         : EventKind::Resolve;
    return {.kind = kind, .task = task, .time = ended.end, .location = ended.location};
  }

  // Code that ran in only one of the runs. Promises, timers and reads vary with the order of
  // events.
  void add_only_in(const Subject& run, const StructuralHashes& hashes,
                   const StructuralHashes& other, DivergenceKind kind) {
    const std::unordered_set<uint64_t> there(other.tasks.begin(), other.tasks.end());
    std::unordered_map<uint64_t, size_t> known;
    for (TaskIndex task = 0; task < hashes.tasks.size(); task++) {
      const Model::Task& made = run.model.tasks[task];
      if (run.waits.first_run[task] == Waits::never || there.contains(hashes.tasks[task]) ||
          made.pre_existing || is_operation(run.trace, made))
        continue;
      const auto [at, is_new] = known.try_emplace(hashes.tasks[task], found_.size());
      if (!is_new) {
        found_[at->second].tasks++;
        continue;
      }
      const CausalEvent created = {.kind = EventKind::Create,
                                   .task = task,
                                   .other = made.parent,
                                   .time = made.start,
                                   .location = made.location};
      Divergence d{.kind = kind};
      (kind == DivergenceKind::OnlyInGood ? d.good : d.bad) = created;
      found_.push_back(std::move(d));
    }
  }

  void add(Divergence&& d) {
    for (Divergence& known : found_)
      if (known.kind == d.kind && known.good.kind == d.good.kind &&
          known.good.task == d.good.task && known.good.time == d.good.time) {
        known.tasks += d.tasks;
        return;
      }
    found_.push_back(std::move(d));
  }

  void sort_from(size_t first) {
    const auto when = [](const Divergence& d) {
      return d.good.kind == EventKind::Lost ? d.bad.time : d.good.time;
    };
    std::stable_sort(found_.begin() + static_cast<ptrdiff_t>(first), found_.end(),
                     [&](const Divergence& a, const Divergence& b) { return when(a) < when(b); });
  }

  // --- The counterpart of a wait ---

  struct WaitKey {
    uint64_t location;
    uint64_t on;
    bool operator==(const WaitKey&) const = default;
  };
  static WaitKey key(const Subject& run, const StructuralHashes& hashes, uint32_t wait) {
    const Wait& w = run.waits.waits[wait];
    return {hashes.locations[w.location], w.on == no_index ? 0 : hashes.tasks[w.on]};
  }
  WaitKey good_key(uint32_t wait) const { return key(good_, good_hashes_, wait); }
  WaitKey bad_key(uint32_t wait) const { return key(bad_, bad_hashes_, wait); }

  static std::vector<uint32_t> waits_of(const Subject& run, TaskIndex task) {
    std::vector<uint32_t> waits;
    for (uint32_t i = run.waits.last_wait[task]; i != none; i = run.waits.waits[i].before)
      waits.push_back(i);
    std::reverse(waits.begin(), waits.end());
    return waits;
  }

  // Matches the n-th wait of the task with this location and target with the n-th in the good run.
  uint32_t counterpart(uint32_t bad) const {
    const TaskIndex good = in_good(bad_.waits.waits[bad].task);
    if (good == no_index) return none;
    const WaitKey wanted = bad_key(bad);
    size_t times = 0;
    for (uint32_t i = bad; i != none; i = bad_.waits.waits[i].before) times += bad_key(i) == wanted;
    for (const uint32_t wait : waits_of(good_, good))
      if (good_key(wait) == wanted && --times == 0) return wait;
    return none;
  }

  static uint32_t last_wait_of(const Diagnosis& d) {
    for (size_t i = d.chain.size(); i-- > 0;)
      if (d.chain[i].wait != none) return d.chain[i].wait;
    return none;
  }

  static CausalEvent begin_of(const Subject& run, uint32_t wait) {
    const Wait& w = run.waits.waits[wait];
    return {.kind = EventKind::Suspend,
            .task = w.task,
            .other = w.on,
            .time = w.begin,
            .location = w.location};
  }

  // The event that made the waiter runnable.
  static CausalEvent ready_of(const Subject& run, uint32_t wait) {
    const Wait& w = run.waits.waits[wait];
    if (w.on == no_index)
      return {.kind = EventKind::Resume,
              .task = w.waker,
              .other = w.task,
              .time = w.ready,
              .location = w.location};
    if (run.model.tasks[w.on].is_resource) {
      CausalEvent notify{
          .kind = EventKind::Notify, .task = w.on, .other = w.waker, .time = w.ready};
      for (uint32_t i = run.waits.last_notification[w.on]; i != none;
           i = run.waits.notifications[i].before)
        if (run.waits.notifications[i].time == w.ready)
          notify.location = run.waits.notifications[i].location;
      return notify;
    }
    CausalEvent ended = end_of(run, w.on);
    // An operation may invoke its waiter and end when that returns.
    if (ended.time > w.ready) ended.kind = EventKind::Resume;
    ended.other = w.task;
    ended.time = w.ready;
    ended.location = w.location;
    return ended;
  }

  // --- Why a wait ended in the good run, but not in the bad one ---

  std::optional<Divergence> explain(const Diagnosis& d) {
    const uint32_t wait = last_wait_of(d);
    if (wait != none) return explain(wait);
    // It does not wait: it never ran, or runs.
    const TaskIndex task = d.chain.front().task;
    return Divergence{.kind = DivergenceKind::NotDone, .good = end_of(good_, in_good(task))};
  }

  static constexpr size_t deepest = 1'000;  // nested waits

  std::optional<Divergence> explain(uint32_t bad) {
    if (visited_.size() == deepest || !visited_.insert(bad).second) return {};
    const Wait& stuck = bad_.waits.waits[bad];
    if (stuck.on != no_index && is_owned(bad_.trace, bad_.model.tasks[stuck.on]))
      if (const Waits::Holding* held = bad_.waits.held(stuck.on); held && held->holder != no_index)
        if (std::optional<Divergence> divergence = explain_lock(bad, *held)) return divergence;
    const uint32_t good = counterpart(bad);
    if (good == none) return other_way(stuck.task);
    const Wait& ended = good_.waits.waits[good];
    if (ended.ready == Waits::never) return {};  // nor in the good run
    const TaskIndex on = stuck.on;
    if (on == no_index || in_good(on) != ended.on)
      return explain_missing(ready_of(good_, good), no_index);
    if (!bad_.model.tasks[on].is_resource) return explain_task(good, bad);
    return explain_condition(good, bad);
  }

  // The target ended in the good run. In the bad run it ended before the wait, or not at all.
  std::optional<Divergence> explain_task(uint32_t good, uint32_t bad) {
    const TaskIndex on = bad_.waits.waits[bad].on;
    const CausalEvent done = ready_of(good_, good);
    if (!bad_.model.is_open(on)) {
      const CausalEvent early = end_of(bad_, on);
      if (early.kind != EventKind::Resolve)
        return Divergence{
            .kind = DivergenceKind::OtherEnd, .good = end_of(good_, in_good(on)), .bad = early};
      return explain_late(good, bad, done, early);
    }
    if (const Wait* next = bad_.waits.open(on))
      return explain(static_cast<uint32_t>(next - bad_.waits.waits.data()));
    return explain_missing(done, good_.waits.waits[good].waker);
  }

  std::optional<Divergence> explain_condition(uint32_t good, uint32_t bad) {
    const CausalEvent notified = ready_of(good_, good);
    const TaskIndex by = in_bad(notified.other);
    const TaskIndex on = bad_.waits.waits[bad].on;
    const uint64_t location = good_hashes_.locations[notified.location];
    // The last notification before the wait, by the same task or at the same location.
    for (uint32_t i = bad_.waits.last_notification[on]; i != none;
         i = bad_.waits.notifications[i].before) {
      const Waits::Notification& notification = bad_.waits.notifications[i];
      const bool same =
          notification.by == by || bad_hashes_.locations[notification.location] == location;
      if (notification.time > bad_.waits.waits[bad].begin || !same) continue;
      const CausalEvent early{.kind = EventKind::Notify,
                              .task = on,
                              .other = notification.by,
                              .time = notification.time,
                              .location = notification.location};
      return explain_late(good, bad, notified, early);
    }
    return explain_missing(notified, notified.other);
  }

  // It waits for a lock with holding `held`. In the good run it acquired the lock first, or the
  // holder released it. Acquiring a free lock is no wait, so this compares holdings, not waits.
  std::optional<Divergence> explain_lock(uint32_t bad, const Waits::Holding& held) {
    const TaskIndex waiter = bad_.waits.waits[bad].task;
    const TaskIndex lock = in_good(held.resource);
    if (lock == no_index) return {};
    const size_t before = holdings_of(bad_, held.resource, waiter).size();
    const auto taken = holdings_of(good_, lock, in_good(waiter));
    const auto others = holdings_of(good_, lock, in_good(held.holder));
    const size_t number = holdings_of(bad_, held.resource, held.holder).size();  // last: `held`
    if (others.size() < number) return {};
    const Waits::Holding& theirs = *others[number - 1];
    if (taken.size() > before && taken[before]->begin < theirs.begin)
      return Divergence{.kind = DivergenceKind::Order,
                        .good = acquired(*taken[before]),
                        .good_later = acquired(theirs),
                        .bad = begin_of(bad_, bad),
                        .bad_earlier = acquired(held)};
    if (theirs.end == Waits::never) return {};
    CausalEvent released = acquired(theirs);
    released.kind = EventKind::Release;
    released.time = theirs.end;
    return explain_missing(released, theirs.holder);
  }

  static CausalEvent acquired(const Waits::Holding& h) {
    return {.kind = EventKind::Acquire,
            .task = h.resource,
            .other = h.holder,
            .time = h.begin,
            .location = h.location};
  }

  // The holdings of the resource by this task, by time.
  static std::vector<const Waits::Holding*> holdings_of(const Subject& run, TaskIndex resource,
                                                        TaskIndex holder) {
    std::vector<const Waits::Holding*> found;
    for (uint32_t i = run.waits.last_holding[resource]; i != none; i = run.waits.holdings[i].before)
      if (run.waits.holdings[i].holder == holder) found.push_back(&run.waits.holdings[i]);
    std::reverse(found.begin(), found.end());
    return found;
  }

  // Task `by` did `done` in the good run. Finds why it did not in the bad run.
  std::optional<Divergence> explain_missing(const CausalEvent& done, TaskIndex by) {
    Divergence d{.kind = DivergenceKind::NotDone, .good = done};
    TaskIndex bad = in_bad(by);
    while (by != no_index && bad == no_index) {  // the creator of a missing task
      by = good_.model.tasks[by].parent;
      bad = in_bad(by);
    }
    if (bad == no_index) return d;
    bad = bad_.model.last_self(bad);
    const Wait* wait = bad_.waits.open(bad);
    if (wait == nullptr) {
      if (!bad_.model.is_open(bad)) d.bad = end_of(bad_, bad);
      return d;
    }
    const auto index = static_cast<uint32_t>(wait - bad_.waits.waits.data());
    d.bad = begin_of(bad_, index);
    const uint32_t before = counterpart(index);
    if (before == none || good_.waits.waits[before].ready > done.time) return d;
    std::optional<Divergence> deeper = explain(index);
    return deeper ? deeper : d;
  }

  // The task began to wait when the target's event was already over. Finds the first cause of the
  // wait that came before that event in the good run.
  Divergence explain_late(uint32_t good, uint32_t bad, const CausalEvent& later,
                          const CausalEvent& earlier) const {
    Divergence d{.kind = DivergenceKind::Order,
                 .good = begin_of(good_, good),
                 .good_later = later,
                 .bad = begin_of(bad_, bad),
                 .bad_earlier = earlier};
    TaskIndex task = bad_.waits.waits[bad].task;
    uint32_t at = bad_.waits.waits[bad].before;
    constexpr int most = 1'000;
    for (int steps = 0; steps < most && at != none; steps++) {
      const Wait& led = bad_.waits.waits[at];
      if (led.ready == Waits::never || led.ready <= earlier.time) break;
      const uint32_t there = counterpart(at);
      if (there == none || good_.waits.waits[there].ready >= later.time) break;
      if (led.on == no_index || in_good(led.on) != good_.waits.waits[there].on) break;
      d.good = ready_of(good_, there);
      d.bad = ready_of(bad_, at);
      task = bad_.model.tasks[led.on].is_resource ? led.waker : led.on;
      if (task == no_index) break;
      const uint64_t before = led.ready;
      at = bad_.waits.last_wait[task];
      while (at != none && bad_.waits.waits[at].ready >= before) at = bad_.waits.waits[at].before;
    }
    return d;
  }

  // The first wait that differs.
  std::optional<Divergence> other_way(TaskIndex bad) const {
    const TaskIndex good = in_good(bad);
    if (good == no_index) return {};
    const std::vector<uint32_t> there = waits_of(good_, good), here = waits_of(bad_, bad);
    size_t same = 0;
    while (same < there.size() && same < here.size() &&
           good_key(there[same]) == bad_key(here[same]))
      same++;
    Divergence d{
        .kind = DivergenceKind::OtherWay, .good = end_of(good_, good), .bad = end_of(bad_, bad)};
    if (same < there.size()) d.good = begin_of(good_, there[same]);
    if (same < here.size()) d.bad = begin_of(bad_, here[same]);
    return d;
  }

  const Subject& good_;
  const Subject& bad_;
  const Alignment& aligned_;
  const StructuralHashes& good_hashes_;
  const StructuralHashes& bad_hashes_;
  bool good_is_complete_;
  std::vector<Divergence> found_;
  std::unordered_set<uint32_t> visited_;  // waits of the bad run
};

}  // namespace

std::string_view name(DivergenceKind kind) {
  constexpr std::array<std::string_view, 6> names = {"order",     "not done",     "other end",
                                                     "other way", "only in good", "only in bad"};
  return names[static_cast<size_t>(kind)];
}

std::vector<Divergence> find_divergences(const Subject& good, const Subject& bad,
                                         const Alignment& aligned) {
  return Comparison(good, bad, aligned).find();
}

}  // namespace skein
