#include "report/explain.h"

#include <algorithm>
#include <array>

#include "report/explain_external.h"
#include "report/explain_object.h"
#include "report/explain_thread.h"
#include "report/explain_wakeup.h"
#include "report/sentence_writer.h"
#include "trace/ask/task_kinds.h"

namespace skein {

namespace {

class ExplanationWriter : public SentenceWriter {
 public:
  using SentenceWriter::SentenceWriter;

  void write() {
    const Model::Task& task = e_.model.tasks[last().task];
    switch (d_.verdict) {
      case Verdict::Ok:
        text(
            "No problem: the task has ended, is running, or has been runnable for less than 1 ms.");
        break;
      case Verdict::LostWakeup:
        if (d_.forgotten) {
          explain_object(e_, d_, out_);
          break;
        }
        explain_wakeup(e_, d_, out_);
        break;
      case Verdict::Deadlock:
        d_.relocked ? explain_object(e_, d_, out_) : explain_wakeup(e_, d_, out_);
        break;
      case Verdict::NeverNotified:
      case Verdict::NeverReleased:
      case Verdict::NeverExpires:
        explain_wakeup(e_, d_, out_);
        break;
      case Verdict::External:
        explain_external(e_, d_, out_);
        break;
      case Verdict::Running:
      case Verdict::Starved:
        explain_thread(e_, d_, out_);
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
        text(", but ");
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
        if (task.parent != no_index && !task.pre_existing) {
          text(" by ");
          this->task(task.parent);
          near(location_near(e_, task.parent, task.start));
          text(",");
        }
        text(" but never started.");
        break;
      case Verdict::Unknown:
        if (task.is_resource) {
          overwritten();
          break;
        }
        if (d_.awaited) {
          explain_object(e_, d_, out_);
        } else if (is_generator(e_.trace, task)) {
          title();
          text(" waits for its caller to take the next value.");
          break;
        } else {
          text("The trace does not record what ");
          title();
          text(" waits for.");
        }
        if (!d_.started.empty()) {
          started();
          break;
        }
        if (d_.crowd_until != Waits::never) {
          grows();
          break;
        }
        if (d_.awaited) break;
        if (e_.trace.info.is_own())
          text(" Use a named primitive (skein/sync.h) or define skein_awaits() for its awaiter.");
        last_event();
    }
    other_branches();
    if (d_.verdict == Verdict::External && d_.crowd_count != 0) none_continued();
    if (d_.outlived) outlived(*d_.outlived);
    if (d_.overtaken) overtaken(*d_.overtaken);
    if (d_.others_ended != 0) cut_short();
    if (d_.is_idle_pool)
      text(
          " Every thread of the process waits without a timeout, and every task waits here, where "
          "it has waited before, as workers without work do.");
    if (d_.is_asleep)
      text(
          " Nothing can wake it: every thread of the process waits without a timeout, and none is "
          "left that could wake another.");
  }

 private:
  void outlived(const Outlived& o) {
    text(" ");
    number(o.count);
    text(" tasks were created there, and none has ended. ");
    number(o.ended);
    text(" that were created beside them have, like ");
    task(o.sibling);
    where(e_.model.tasks[o.sibling].location);
    text(". If each belongs to one of these, they are leaked.");
  }

  void cut_short() {
    text(" ");
    number(d_.others_ended);
    text(" others of its function and place have ended by themselves, and no other is left. If its "
         "result matters, the program ended too early.");
  }

  void overtaken(const EarlierWaits& waits) {
    text(" ");
    number(waits.count);
    text(waits.own == 0 ? " other waits at this place have ended, "
                        : " waits at this place have ended, ");
    if (waits.own != 0) {
      number(waits.own);
      text(" of them its own, ");
    }
    text("the longest after ");
    duration(waits.longest);
    if (waits.later != 0) {
      text("; ");
      number(waits.later);
      text(" of them began later.");
      if (!waits.is_usual())
        text(" Unless it waits for a peer or a timer, it was probably forgotten.");
    } else {
      text(", the last ");
      at(waits.last);
      text(".");
      if (!waits.is_usual())
        text(" If something had to be released or signalled since, that may have been forgotten.");
    }
  }

  // Of Asio's operators in the chain: the operands that are not in it.
  void other_branches() {
    for (const Branches& branches : e_.waits.branches) {
      const auto is_at = [&](TaskIndex task) {
        return std::any_of(d_.chain.begin(), d_.chain.end(),
                           [&](const Diagnosis::Step& step) { return step.task == task; });
      };
      if (!is_at(branches.operation)) continue;
      for (const TaskIndex operand : branches.operands)
        if (!is_at(operand)) other_branch(branches.operation, operand);
    }
  }

  void other_branch(TaskIndex operation, TaskIndex operand) {
    const Model::Task& task = e_.model.tasks[operand];
    text(" ");
    this->task(operation);
    if (e_.model.is_open(operand)) {
      text(" also waits for ");
      this->task(operand);
      where(task.location);
      return text(".");
    }
    text("'s other operand, ");
    this->task(operand);
    where(task.location);
    text(task.how == Model::End::Cancelled ? ", was cancelled "
         : task.failed()                   ? ", failed "
                                           : ", has ended ");
    at(task.end);
    text(".");
  }

  void none_continued() {
    const Diagnosis::Step& first = d_.chain.front();
    text(" ");
    number(d_.crowd_count);
    text(" tasks have begun to wait where ");
    task(first.task);
    text(" waits");
    where(location_of(e_, first));
    text(", and none has continued. If their number keeps growing, they are leaked.");
  }

  // Tasks that may be leaked.
  void grows() {
    const TaskIndex parent = e_.model.tasks[d_.chain.front().task].parent;
    text(" In the trace, none of the tasks that began to wait here has continued. The last began ");
    at(d_.crowd_until);
    if (parent != no_index) {
      text("; ");
      task(parent);
      text(" created the first");
    }
    text(". If their number grows with the work that the program does, they are leaked.");
  }

  void overwritten() {
    text("The trace contains no notification of ");
    title();
    text(" since ");
    waiter();
    text(
        " began to wait. Earlier events were overwritten, so an earlier notification cannot be "
        "ruled out. Record with a larger size or mode=log.");
  }

  void started() {
    const size_t others = d_.started.size() - 1;
    text(" Right after it began to wait, its thread started ");
    task(d_.started.front());
    if (others != 0) {
      text(" and ");
      number(others);
      text(others == 1 ? " other" : " others");
    }
    text(others == 0 ? ", which has not ended: it may wait for it."
                     : ", which have not ended: it may wait for them.");
  }
};

}  // namespace

Sentence explain(const Subject& subject, const Diagnosis& diagnosis) {
  Sentence out;
  ExplanationWriter(subject, diagnosis, out).write();
  return out;
}

StepText describe_step(const Subject& e, const Diagnosis& d, size_t index) {
  const Diagnosis::Step& step = d.chain[index];
  const Model::Task& task = e.model.tasks[step.task];
  const TaskState state = task_state(e, step.task);
  if (state == TaskState::Runnable) return {"is runnable"};
  if (step.holding != Waits::none || step.wait != Waits::none) {
    StepText does = {.text = step.holding != Waits::none ? "is held by" : "waits for",
                     .target = target_of(e, d, index)};
    if (step.wait != Waits::none && d.awaited && d.awaited->type != 0 && &step == &d.chain.back())
      does.object = &*d.awaited;
    else if (does.target == no_index)
      does.text = step.holding != Waits::none             ? "is held by a task that has ended"
                  : d.awaited && &step == &d.chain.back() ? "waits for an object"
                                                          : "waits for an unrecorded target";
    return does;
  }
  constexpr std::array<std::string_view, 6> ends = {"", "ended",    "failed", "was cancelled",
                                                    "", "has ended"};
  if (!task.is_resource && state == TaskState::Ended) return {ends[static_cast<size_t>(task.how)]};
  constexpr std::array<std::string_view, 7> states = {
      "was created", "runs",       "is runnable", "is suspended", "is in an unknown state",
      "has existed", "has existed"};
  return {states[static_cast<size_t>(state)]};
}

}  // namespace skein
