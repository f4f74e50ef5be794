#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "trace/ask/doctor/lints.h"
#include "trace/ask/none.h"
#include "trace/ask/rows_by.h"

namespace skein::detail {

namespace {

using Severity = Finding::Severity;

class WaitLints {
 public:
  WaitLints(LintContext& context, Findings& found)
      : context_(context),
        options_(context.options),
        limit_(context.limit(Lint::SuspendedTooLong)),
        waits_(context.waits),
        found_(found),
        wakes_(context.is_enabled(Lint::SelfWake) ? context.model.tasks.size() : 0) {}

  void run() {
    for (const Waits::Wait& w : waits_.waits) {
      if (w.end_overwritten || (w.is_open() && context_.may_have_ended(w.task))) continue;
      if (!wakes_.empty()) count_wake(w);
      if (w.was_never_woken() && w.on != no_index) look_for_lost_wakeup(w);
      if (context_.length(w) >= limit_) look_at_long_wait(w);
    }
    for (TaskIndex i = 0; i < wakes_.size(); i++) {
      look_at_wakes(i);
      look_at_polls(i);
    }
  }

 private:
  struct Wakes {
    uint32_t all = 0;
    uint32_t own = 0;
    uint32_t in_a_row = 0;  // its own, up to now
    uint32_t most_in_a_row = 0;
    uint32_t last = none;  // its last self-wake: a wait
    uint64_t ran = 0;      // between its waits, ns
    // Its last waits in a row, at one location, of which the trace does not show what ended them.
    uint64_t polls = 0;
    uint32_t first_poll = none;
  };
  // Work that is cut into pieces runs longer between its waits. What is between may be both.
  static constexpr uint64_t surely_poll = 3'000;    // ns
  static constexpr uint64_t longest_poll = 20'000;  // ns

  // ---- self-wake ----
  void count_wake(const Waits::Wait& w) {
    Wakes& wakes = wakes_[w.task];
    count_poll(wakes, w);
    if (w.is_open() || w.cancelled) return;
    wakes.all++;
    if (w.before != none) wakes.ran += w.begin - std::min(w.begin, waits_.waits[w.before].end);
    if (!wakes_itself(w)) {
      wakes.in_a_row = 0;
      return;
    }
    wakes.own++;
    wakes.most_in_a_row = std::max(wakes.most_in_a_row, ++wakes.in_a_row);
    wakes.last = context_.index_of(w);
  }

  void count_poll(Wakes& wakes, const Waits::Wait& w) {
    const bool is_poll = w.on == no_index && w.waker == no_index;
    const bool goes_on =
        wakes.polls != 0 && w.before != none && waits_.waits[w.before].location == w.location;
    if (!is_poll || !goes_on) wakes.first_poll = context_.index_of(w);
    wakes.polls = is_poll ? (goes_on ? wakes.polls + 1 : 1) : 0;
  }

  // A task that yields in a loop until something has changed. Code outside any task may also feed
  // it quickly: a note.
  void look_at_polls(TaskIndex task) {
    constexpr uint64_t rest = 100'000'000;  // ns, at the end of the trace
    const Wakes& wakes = wakes_[task];
    if (wakes.polls < options_.posts || !context_.is_open(task)) return;
    const Waits::Wait& first = waits_.waits[wakes.first_poll];
    const Waits::Wait& last = waits_.waits[waits_.last_wait[task]];
    const uint64_t end = std::max(last.begin, last.is_open() ? 0 : last.end);
    if (context_.model.end - end > rest) return;
    if ((end - first.begin) / wakes.polls > longest_poll) return;
    found_.add({.lint = Lint::SelfWake,
                .severity = Severity::Note,
                .task = task,
                .begin = first.begin,
                .end = end,
                .duration = wakes.polls,
                .location = last.location,
                .value = wakes.polls});
  }

  // Whether no other task caused the wake-up: it was ready at once, or posted itself.
  bool wakes_itself(const Waits::Wait& w) const {
    if (w.waker == w.task) return true;
    return w.on != no_index && context_.is_handler(w.on) && context_.task(w.on).parent == w.task;
  }

  void look_at_wakes(TaskIndex task) {
    const Wakes& wakes = wakes_[task];
    const uint64_t ran = wakes.ran / std::max(1u, wakes.all);
    if (ran > longest_poll && !options_.strict) return;
    if (wakes.most_in_a_row < options_.self_wakes ||
        wakes.own < options_.self_wake_share * wakes.all)
      return;
    const Waits::Wait& w = waits_.waits[wakes.last];
    found_.add({.lint = Lint::SelfWake,
                .severity = ran > surely_poll ? Severity::Note : Severity::Warning,
                .task = task,
                .begin = context_.task(task).start,
                .end = context_.until_end(w.end),
                .duration = wakes.own,
                .location = w.location,
                .index = wakes.last,
                .second = wakes.all,
                .value = wakes.own});
  }

  // ---- notify-before-wait ----
  void look_for_lost_wakeup(const Waits::Wait& w) {
    if (!context_.is_enabled(Lint::NotifyBeforeWait) || context_.is_mirage) return;
    const TaskIndex on = context_.model.last_self(w.on);
    const Model::Task& target = context_.task(on);
    Candidate c{.lint = Lint::NotifyBeforeWait,
                .severity = Severity::Error,
                .task = w.task,
                .other = on,
                .end = w.begin,
                .duration = context_.length(w),
                .location = w.location,
                .index = context_.index_of(w)};
    if (!target.is_resource) {
      // A promise that was already resolved and does not wake the waiter.
      if (target.how != Model::End::Resolved || target.end > w.begin) return;
      if (w.is_open() && context_.length(w) < starvation_threshold_ns)
        return;  // another thread may still notify it
      c.begin = target.end;
    } else {
      if (context_.kind_class(on) != KindClass::Condition) return;  // others store them
      const std::optional<uint32_t> notification = notification_without_waiter(on, w.begin);
      if (!notification) return;
      c.begin = waits_.notifications[*notification].time;
      c.second = *notification;
      const TaskIndex caller = outermost(context_.model, waits_, w.task);
      const bool came_later = context_.task(caller).start > c.begin &&
                              !context_.task(caller).should_resolve &&
                              !context_.task(w.task).should_resolve;
      if (came_later || waited_there_before(w)) c.severity = Severity::Note;  // it may check first
    }
    if (c.severity == Severity::Note && !options_.strict) return;
    if (c.severity == Severity::Error) context_.explain(c.index);
    found_.add(c);
  }

  bool waited_there_before(const Waits::Wait& w) const {
    for (uint32_t i = w.before; i != none; i = waits_.waits[i].before)
      if (waits_.waits[i].on == w.on) return true;
    return false;
  }

  // The last notification before `time`, if it woke no task.
  std::optional<uint32_t> notification_without_waiter(TaskIndex target, uint64_t time) {
    if (notifications_by_target_.count() == 0)
      notifications_by_target_ = RowsBy(waits_.notifications, context_.model.tasks.size(),
                                        [](const Waits::Notification& n) { return n.target; });
    const std::span<const uint32_t> notifications = notifications_by_target_.of(target);
    const auto at = std::lower_bound(
        notifications.begin(), notifications.end(), time,
        [&](uint32_t n, uint64_t begin) { return waits_.notifications[n].time < begin; });
    if (at == notifications.begin() || waits_.notifications[*(at - 1)].woken != 0) return {};
    return *(at - 1);
  }

  // ---- suspended-too-long ----
  void look_at_long_wait(const Waits::Wait& w) {
    if (context_.is_explained(context_.index_of(w))) return;
    Candidate c{.lint = Lint::SuspendedTooLong,
                .task = w.task,
                .other = w.on,
                .begin = w.begin,
                .end = context_.until_end(w.end),
                .duration = context_.length(w),
                .location = w.location,
                .index = context_.index_of(w)};
    const uint64_t ready = context_.until_end(w.ready);
    if (!context_.is_mirage && !w.cancelled && c.end - std::min(c.end, ready) >= limit_) {
      // It was runnable, but did not run.
      if (w.on != no_index && context_.was_destroyed(w.on))
        return;  // destroyed-unresolved reports it
      c.begin = ready;
      c.duration = c.end - ready;
      c.second = c.index;
    } else if (w.on != no_index && context_.is_lock(w.on)) {
      c.end = context_.until_end(std::min(w.ready, w.end));
      c.duration = c.end - std::min(c.end, c.begin);
      if (c.duration < limit_) return;
      if (!context_.is_mutex(w.on) && waits_.last_holding[w.on] == none) {
        if (!options_.strict) return;  // used as a counter
        c.severity = Severity::Note;
      }
    } else {
      // Reports only the last wait of a chain: the others wait for it.
      const bool is_last = w.on == no_index || waits_.last_wait[w.on] == none;
      if (!options_.strict || !is_last) return;
      c.severity = Severity::Note;
    }
    if (c.severity != Severity::Note) context_.explain(c.index);
    found_.add(c);
  }

  LintContext& context_;
  const DoctorOptions& options_;
  const uint64_t limit_;  // of a wait, ns
  const Waits& waits_;
  Findings& found_;
  std::vector<Wakes> wakes_;  // by task; empty: lint disabled
  RowsBy notifications_by_target_;
};

}  // namespace

void add_wait_findings(LintContext& context, Findings& found) { WaitLints(context, found).run(); }

}  // namespace skein::detail
