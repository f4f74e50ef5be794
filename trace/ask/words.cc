#include "trace/ask/words.h"

#include <algorithm>
#include <array>

namespace skein {

namespace {

class Writer {
 public:
  Writer(const Subject& subject, const Diagnosis& diagnosis) : e_(subject), d_(diagnosis) {}

  Sentence explain() {
    const Model::Task& task = e_.model.tasks[last().task];
    switch (d_.verdict) {
      case Verdict::Fine:
        words("It has ended, or runs, or could not run for less than a millisecond.");
        break;
      case Verdict::NeverNotified:
        never_notified();
        break;
      case Verdict::NotifiedTooEarly:
        too_early();
        break;
      case Verdict::Cycle:
        words("They wait for each other in a circle: none of them can go on.");
        break;
      case Verdict::NeverReleased:
        never_released();
        break;
      case Verdict::Outside:
        title();
        where(location_of(e_, last()));
        words(" has not completed: it is a time, or something outside of the program.");
        break;
      case Verdict::Starved:
        starved();
        break;
      case Verdict::Cancelled:
        title();
        words(task.failed() ? " failed " : " was cancelled ");
        at(task.end);
        if (task.reason != 0) {
          words(" (");
          words(e_.trace.strings[task.reason]);
          words(")");
        }
        words(", and ");
        waiter();
        words(", which waits for it, was not resumed.");
        break;
      case Verdict::NeverStarted:
        title();
        words(" was created ");
        if (task.pre_existing)
          words("before the trace");
        else
          at(task.start);
        where(task.location);
        words(", and nobody let it run.");
        break;
      case Verdict::Unknown:
        if (task.is_resource) {
          overwritten();
          break;
        }
        words("The trace does not say what ");
        title();
        words(
            " waits for. To know more: use a primitive with a name (skein/sync.h), or give its "
            "awaiter a skein_awaits().");
        last_touched();
    }
    return std::move(out_);
  }

 private:
  const Diagnosis::Step& last() const { return d_.chain.back(); }
  const Diagnosis::Step& before_last() const {
    return d_.chain[d_.chain.size() < 2 ? 0 : d_.chain.size() - 2];
  }

  void words(std::string_view text) { out_.push_back({.words = text}); }
  void task(TaskIndex index) { out_.push_back({.what = Part::What::Task, .value = index}); }
  void title() { task(last().task); }
  void waiter() { task(before_last().task); }
  void time(uint64_t ns) { out_.push_back({.what = Part::What::Time, .value = ns}); }
  void duration(uint64_t ns) { out_.push_back({.what = Part::What::Duration, .value = ns}); }
  void at(uint64_t ns) {
    words("at ");
    time(ns);
  }
  void where(uint32_t location) {
    if (e_.trace.locations[location].file == 0) return;
    words(" (");
    out_.push_back({.what = Part::What::Place, .value = location});
    words(")");
  }
  void by(TaskIndex who, uint32_t location) {
    words(who == no_index ? " outside of all tasks" : " by ");
    if (who != no_index) task(who);
    where(location);
  }

  void last_touched() {
    const Waits::Touch& touch = e_.waits.touches[last().task];
    if (touch.kind == EventKind::Lost) return;
    words(" What happened to it last: ");
    words(name(touch.kind));
    words(" ");
    at(touch.time);
    by(touch.by, touch.location);
    words(".");
  }

  void overwritten() {
    words("Nobody has notified ");
    title();
    words(" since ");
    waiter();
    words(
        " began to wait for it, as far as the trace says; what was before is overwritten, so a "
        "signal that came too early would not be seen. To know more: a larger size, or mode=log.");
  }

  void never_notified() {
    const bool is_resource = e_.model.tasks[last().task].is_resource;
    words(is_resource ? "Nobody has notified " : "Nobody has ended ");
    title();
    if (is_resource && d_.chain.size() > 1) {
      words(" since ");
      waiter();
      words(" began to wait for it");
    }
    words(".");
    last_touched();
  }

  void too_early() {
    title();
    if (d_.notice == Waits::none) {  // a task that has ended
      words(" had ended ");
      at(e_.model.tasks[last().task].end);
      words(", before ");
      waiter();
      words(" began to wait for it: nobody will tell it.");
      return;
    }
    const Waits::Notice& notice = e_.waits.notices[d_.notice];
    const Waits::Wait& wait = e_.waits.waits[before_last().wait];
    words(" was notified ");
    at(notice.time);
    by(notice.by, notice.location);
    words(", when nobody waited for it. ");
    waiter();
    words(" began to wait ");
    at(wait.begin);
    where(wait.location);
    words(", ");
    duration(wait.begin - notice.time);
    words(" too late: such a signal is not remembered, and there was none since.");
    if (!d_.waited_before && !d_.created_after) return;
    words(" (");
    waiter();
    words(d_.waited_before ? " has waited there before and gone on" : " was created after that");
    words(
        ". If it looks whether there is something to do before it waits, this may be as "
        "intended.)");
  }

  void never_released() {
    const bool gone = last().holding != Waits::none;  // and so are its events
    const Diagnosis::Step& lock = gone ? last() : before_last();
    const Waits::Holding& held = e_.waits.holdings[lock.holding];
    const Model::Task& holder = e_.model.tasks[last().task];
    if (gone) {
      task(lock.task);
      words(" is held since ");
    } else {
      title();
      words(" has held ");
      task(lock.task);
      words(" since ");
    }
    if (held.begin == 0 && is_before(lock.task))
      words("before the trace");
    else
      time(held.begin);
    where(held.location);
    if (gone) return words(" by a task that has ended since, and whose events are overwritten.");
    if (holder.how != Model::End::Open) {
      words(", and ended ");
      at(holder.end);
      words(" without releasing it.");
    } else {
      words(e_.waits.running[last().task] ? ", and runs." : ", and does not go on.");
    }
  }
  bool is_before(TaskIndex index) const {
    const Alive* alive = e_.trace.find_alive(e_.model.tasks[index].id);
    return alive != nullptr && alive->since < 0;
  }

  void starved() {
    const uint64_t ready = last().wait == Waits::none ? e_.model.tasks[last().task].start
                                                      : e_.waits.waits[last().wait].ready;
    title();
    words(" could go on ");
    at(ready);
    words(", ");
    duration(e_.model.end - std::min(ready, e_.model.end));
    words(" before the end of the trace, and did not come to run.");
    if (d_.busy == no_index) return;
    words(" What ran on its executor the longest in that time: ");
    task(d_.busy);
    where(e_.model.tasks[d_.busy].location);
    words(".");
  }

  const Subject& e_;
  const Diagnosis& d_;
  Sentence out_;
};

}  // namespace

Sentence explain(const Subject& subject, const Diagnosis& diagnosis) {
  return Writer(subject, diagnosis).explain();
}

Doing doing(const Subject& e, const Diagnosis& d, size_t index) {
  const Diagnosis::Step& step = d.chain[index];
  const Model::Task& task = e.model.tasks[step.task];
  if (step.holding != Waits::none || step.wait != Waits::none) {
    Doing does = {.words = step.holding != Waits::none ? "is held by" : "waits for"};
    if (index + 1 < d.chain.size())
      does.whom = d.chain[index + 1].task;
    else if (d.verdict == Verdict::Cycle)
      does.whom = d.chain[d.cycle_begin].task;
    else if (step.wait != Waits::none)
      does.whom = e.waits.waits[step.wait].on;
    if (does.whom == no_index)
      does.words = step.holding != Waits::none ? "is held by a task that has ended"
                                               : "waits for something the trace does not name";
    return does;
  }
  if (task.is_resource) return {"is there"};
  constexpr std::array<std::string_view, 5> ends = {"", "ended", "failed", "was cancelled", ""};
  if (task.how != Model::End::Open) return {ends[static_cast<size_t>(task.how)]};
  if (e.waits.running[step.task]) return {"runs"};
  return {e.waits.first_run[step.task] == Waits::never ? "was created" : "is suspended"};
}

uint32_t location_of(const Subject& e, const Diagnosis::Step& step) {
  if (step.holding != Waits::none && e.waits.holdings[step.holding].location != 0)
    return e.waits.holdings[step.holding].location;
  if (step.wait != Waits::none && e.waits.waits[step.wait].location != 0)
    return e.waits.waits[step.wait].location;
  return e.model.tasks[step.task].location;
}

int64_t since(const Subject& e, const Diagnosis::Step& step) {
  const Model::Task& task = e.model.tasks[step.task];
  const uint64_t time = step.holding != Waits::none    ? e.waits.holdings[step.holding].begin
                        : step.wait != Waits::none     ? e.waits.waits[step.wait].begin
                        : task.how != Model::End::Open ? task.end
                                                       : task.start;
  const Alive* alive = time == 0 ? e.trace.find_alive(task.id) : nullptr;
  if (alive != nullptr && alive->since < 0) return alive->since;
  return static_cast<int64_t>(std::min<uint64_t>(time, INT64_MAX));
}

}  // namespace skein
