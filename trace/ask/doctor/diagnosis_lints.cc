#include <algorithm>
#include <optional>
#include <vector>

#include "trace/ask/doctor/lints.h"
#include "trace/ask/none.h"
#include "trace/ask/why.h"

namespace skein::detail {

namespace {

class DiagnosisLints {
 public:
  explicit DiagnosisLints(const LintContext& context)
      : context_(context), model_(context.model), waits_(context.waits) {}

  bool is_explained(const Diagnosis& d) const {
    return std::any_of(d.chain.begin(), d.chain.end(), [&](const Diagnosis::Step& step) {
      return context_.may_have_ended(step.task) ||
             (step.wait != none && context_.is_explained(step.wait));
    });
  }

  // Whether the wait is long or cannot end. In a program that hangs, time ends at the last event,
  // so no wait is long.
  bool is_reportable(const Diagnosis& d, const Candidate& c) const {
    return c.duration >= context_.limit(Lint::SuspendedTooLong) || cannot_end(d);
  }

  // Empty if another lint has reported it or covers it.
  std::optional<Candidate> candidate(const Diagnosis& d, uint32_t index) const {
    const Diagnosis::Step& first = d.chain.front();
    const Diagnosis::Step& last = d.chain.back();
    Candidate c{.lint = Lint::SuspendedTooLong,
                .severity = Finding::Severity::Error,
                .task = first.task,
                .begin = context_.task(first.task).start,
                .end = model_.end,
                .location = context_.task(first.task).location,
                .index = index,
                .value = 1};  // the evidence is a diagnosis
    if (first.wait != none) {
      const Waits::Wait& w = waits_.waits[first.wait];
      c.other = w.on;
      c.begin = w.begin;
      c.end = context_.until_end(w.end);
      c.location = w.location;
    }
    c.duration = c.end - std::min(c.end, c.begin);
    switch (d.verdict) {
      case Verdict::External:
        if (d.chain.size() == 1) return {};
        c.lint = Lint::OperationPending;
        c.task = last.task;
        c.other = first.task;
        break;
      case Verdict::LostWakeup:
        if (d.forgotten) break;
        if (!d.expected && !d.is_hopeless()) return {};  // it may check before it waits
        if (d.cancel == Model::Object::none) about_lost_wakeup(c, d);
        break;
      case Verdict::Running:  // ran-too-long
        if (!d.expected) return {};
        break;
      case Verdict::Starved:
      case Verdict::NeverStarted:
        if (!d.expected) return {};
        if (last.wait != none)
          about_its_turn(c, last.wait);
        else if (!about_unstarted(c, last.task))
          return {};
        break;
      default:
        break;
    }
    return c;
  }

 private:
  // Whether the task cannot end any more, however short its wait is so far.
  bool cannot_end(const Diagnosis& d) const {
    if (!context_.is_open(d.chain.front().task)) return false;  // destroyed-unresolved reports it
    if (d.verdict == Verdict::Deadlock) return true;
    const bool is_kept =
        d.verdict == Verdict::NeverReleased && !context_.is_open(d.chain.back().task);
    return is_kept || (d.expected && !context_.options.is_live);
  }

  void about_lost_wakeup(Candidate& c, const Diagnosis& d) const {
    const Diagnosis::Step& waiter = d.chain[d.chain.size() - 2];
    const Waits::Wait& w = waits_.waits[waiter.wait];
    c.lint = Lint::NotifyBeforeWait;
    c.task = waiter.task;
    c.other = d.chain.back().task;
    c.begin = d.notification != none ? waits_.notifications[d.notification].time
                                     : context_.task(c.other).end;
    c.end = w.begin;
    c.duration = context_.length(w);
    c.location = w.location;
    c.index = waiter.wait;
    c.second = d.notification;
  }

  void about_its_turn(Candidate& c, uint32_t wait) const {
    const Waits::Wait& w = waits_.waits[wait];
    c.task = w.task;
    c.other = w.on;
    c.begin = context_.until_end(w.ready);
    c.end = model_.end;
    c.duration = c.end - c.begin;
    c.location = w.location;
    c.index = c.second = wait;
    c.value = 0;
  }

  // False if another lint has reported that it never ran.
  bool about_unstarted(Candidate& c, TaskIndex last) const {
    const Model::Task& task = context_.task(last);
    const bool is_handler = context_.is_handler(last);
    if (!is_handler && context_.kind_class(last) != KindClass::Runnable) return true;
    const uint64_t age = model_.end - std::min(model_.end, task.start);
    if (age >= (is_handler ? context_.limit(Lint::HandlerNeverInvoked) : starvation_threshold_ns) &&
        context_.kind_class(last) != KindClass::Callback)
      return false;
    c.lint = is_handler ? Lint::HandlerNeverInvoked : Lint::NeverStarted;
    c.task = last;
    c.other = no_index;
    c.begin = task.start;
    c.end = model_.end;
    c.duration = age;
    c.location = task.location;
    return true;
  }

  const LintContext& context_;
  const Model& model_;
  const Waits& waits_;
};

}  // namespace

void add_diagnosis_findings(const LintContext& context, Findings& found) {
  const auto reported = {Lint::SuspendedTooLong, Lint::OperationPending, Lint::NotifyBeforeWait,
                         Lint::NeverStarted, Lint::HandlerNeverInvoked};
  if (std::none_of(reported.begin(), reported.end(), [&](Lint l) { return context.is_enabled(l); }))
    return;
  found.sources.diagnoses = diagnose_all(context.trace, context.model, context.waits);
  const DiagnosisLints lints(context);
  for (uint32_t i = 0; i < found.sources.diagnoses.size(); i++) {
    const Diagnosis& d = found.sources.diagnoses[i];
    if (!d.is_error() || lints.is_explained(d)) continue;
    const std::optional<Candidate> c = lints.candidate(d, i);
    if (!c || !lints.is_reportable(d, *c)) continue;
    for (size_t n = 0; n <= d.similar.size(); n++) found.add(*c);
  }
}

}  // namespace skein::detail
