#include "report/explain.h"

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
        text("It has ended, or runs, or could not run for less than a millisecond.");
        break;
      case Verdict::NeverNotified:
        never_notified();
        break;
      case Verdict::NotifiedTooEarly:
        too_early();
        break;
      case Verdict::Cycle:
        text("They wait for each other in a circle: none of them can go on.");
        break;
      case Verdict::NeverReleased:
        never_released();
        break;
      case Verdict::Outside:
        title();
        where(location_of(e_, last()));
        text(" has not completed: it is a time, or something outside of the program.");
        break;
      case Verdict::Starved:
        starved();
        break;
      case Verdict::Cancelled:
        title();
        text(task.failed() ? " failed " : " was cancelled ");
        at(task.end);
        if (task.reason != 0) {
          text(" (");
          text(e_.trace.strings[task.reason]);
          text(")");
        }
        text(", and ");
        waiter();
        text(", which waits for it, was not resumed.");
        break;
      case Verdict::NeverStarted:
        title();
        text(" was created ");
        if (task.pre_existing)
          text("before the trace");
        else
          at(task.start);
        where(task.location);
        text(", and nobody let it run.");
        break;
      case Verdict::Unknown:
        if (task.is_resource) {
          overwritten();
          break;
        }
        text("The trace does not say what ");
        title();
        text(
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

  void text(std::string_view run) { out_.push_back({.text = run}); }
  void task(TaskIndex index) { out_.push_back({.kind = TextRun::Kind::Task, .value = index}); }
  void title() { task(last().task); }
  void waiter() { task(before_last().task); }
  void time(uint64_t ns) { out_.push_back({.kind = TextRun::Kind::Time, .value = ns}); }
  void duration(uint64_t ns) { out_.push_back({.kind = TextRun::Kind::Duration, .value = ns}); }
  void at(uint64_t ns) {
    text("at ");
    time(ns);
  }
  void where(uint32_t location) {
    if (e_.trace.locations[location].file == 0) return;
    text(" (");
    out_.push_back({.kind = TextRun::Kind::Location, .value = location});
    text(")");
  }
  void by(TaskIndex who, uint32_t location) {
    text(who == no_index ? " outside of all tasks" : " by ");
    if (who != no_index) task(who);
    where(location);
  }

  void last_touched() {
    const Waits::Touch& touch = e_.waits.touches[last().task];
    if (touch.kind == EventKind::Lost) return;
    text(" What happened to it last: ");
    text(name(touch.kind));
    text(" ");
    at(touch.time);
    by(touch.by, touch.location);
    text(".");
  }

  void overwritten() {
    text("Nobody has notified ");
    title();
    text(" since ");
    waiter();
    text(
        " began to wait for it, as far as the trace says; what was before is overwritten, so a "
        "signal that came too early would not be seen. To know more: a larger size, or mode=log.");
  }

  void never_notified() {
    const bool is_resource = e_.model.tasks[last().task].is_resource;
    text(is_resource ? "Nobody has notified " : "Nobody has ended ");
    title();
    if (is_resource && d_.chain.size() > 1) {
      text(" since ");
      waiter();
      text(" began to wait for it");
    }
    text(".");
    last_touched();
  }

  void too_early() {
    title();
    if (d_.notice == Waits::none) {  // a task that has ended
      text(" had ended ");
      at(e_.model.tasks[last().task].end);
      text(", before ");
      waiter();
      text(" began to wait for it: nobody will tell it.");
      return;
    }
    const Waits::Notice& notice = e_.waits.notices[d_.notice];
    const Waits::Wait& wait = e_.waits.waits[before_last().wait];
    text(" was notified ");
    at(notice.time);
    by(notice.by, notice.location);
    text(", when nobody waited for it. ");
    waiter();
    text(" began to wait ");
    at(wait.begin);
    where(wait.location);
    text(", ");
    duration(wait.begin - notice.time);
    text(" too late: such a signal is not remembered, and there was none since.");
    if (!d_.waited_before && !d_.created_after) return;
    text(" (");
    waiter();
    text(d_.waited_before ? " has waited there before and gone on" : " was created after that");
    text(
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
      text(" is held since ");
    } else {
      title();
      text(" has held ");
      task(lock.task);
      text(" since ");
    }
    if (held.begin == 0 && is_before(lock.task))
      text("before the trace");
    else
      time(held.begin);
    where(held.location);
    if (gone) return text(" by a task that has ended since, and whose events are overwritten.");
    if (holder.how != Model::End::Open) {
      text(", and ended ");
      at(holder.end);
      text(" without releasing it.");
    } else {
      text(e_.waits.running[last().task] ? ", and runs." : ", and does not go on.");
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
    text(" could go on ");
    at(ready);
    text(", ");
    duration(e_.model.end - std::min(ready, e_.model.end));
    text(" before the end of the trace, and did not come to run.");
    if (d_.busy == no_index) return;
    text(" What ran on its executor the longest in that time: ");
    task(d_.busy);
    where(e_.model.tasks[d_.busy].location);
    text(".");
  }

  const Subject& e_;
  const Diagnosis& d_;
  Sentence out_;
};

}  // namespace

Sentence explain(const Subject& subject, const Diagnosis& diagnosis) {
  return Writer(subject, diagnosis).explain();
}

StepText describe_step(const Subject& e, const Diagnosis& d, size_t index) {
  const Diagnosis::Step& step = d.chain[index];
  const Model::Task& task = e.model.tasks[step.task];
  if (step.holding != Waits::none || step.wait != Waits::none) {
    StepText does = {.text = step.holding != Waits::none ? "is held by" : "waits for"};
    if (index + 1 < d.chain.size())
      does.target = d.chain[index + 1].task;
    else if (d.verdict == Verdict::Cycle)
      does.target = d.chain[d.cycle_begin].task;
    else if (step.wait != Waits::none)
      does.target = e.waits.waits[step.wait].on;
    if (does.target == no_index)
      does.text = step.holding != Waits::none ? "is held by a task that has ended"
                                              : "waits for something the trace does not name";
    return does;
  }
  if (task.is_resource) return {"is there"};
  constexpr std::array<std::string_view, 5> ends = {"", "ended", "failed", "was cancelled", ""};
  if (task.how != Model::End::Open) return {ends[static_cast<size_t>(task.how)]};
  if (e.waits.running[step.task]) return {"runs"};
  return {e.waits.first_run[step.task] == Waits::never ? "was created" : "is suspended"};
}

}  // namespace skein
