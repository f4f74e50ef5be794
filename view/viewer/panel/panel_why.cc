// Why a task is stuck, in the panel.
#include <algorithm>

#include "report/object_text.h"
#include "trace/model/names.h"
#include "view/viewer/panel/panel_writer.h"

namespace skein {

namespace {

constexpr size_t most_steps = 12;

class Why {
 public:
  Why(PanelWriter& out, const Subject& subject, const Diagnosis& diagnosis)
      : out_(out), e_(subject), live_(subject), d_(diagnosis) {}

  // `teardown`: when the program began to destroy what was left; empty: it did not.
  void write(const std::string& teardown) {
    out_.heading("why", std::string(name(d_.verdict)));
    if (!teardown.empty())
      out_.line("", "When the program began to destroy its tasks, at " + teardown + ":");
    out_.line("", text());
    for (size_t i = 0; i < d_.chain.size() && i < out_.limit(most_steps); i++) step(i);
    if (d_.chain.size() > out_.limit(most_steps))
      out_.more("", d_.chain.size() - out_.limit(most_steps));
    if (d_.notification != Waits::none) {
      const Waits::Notification& notification = e_.waits.notifications[d_.notification];
      out_.task("notified by", out_.shown(notification.by), out_.on_clock(notification.time),
                ", " + out_.time(notification.time));
      write_location({.location = notification.location});
    }
    if (d_.blocker != no_index) out_.task("ran instead", out_.shown(d_.blocker));
  }

 private:
  // What the task does, where, and since when.
  void step(size_t i) {
    const Diagnosis::Step& step = d_.chain[i];
    const StepText does = describe_step(e_, d_, i);
    const int64_t begin = since(e_, live_, step);
    const double seen = out_.on_clock(static_cast<uint64_t>(std::max<int64_t>(begin, 0)));
    if (e_.model.tasks[step.task].is_resource && does.target == no_index) return;
    const std::string name = i == 0 ? std::string() : "which ";
    if (does.object != nullptr)
      out_.line(name,
                std::string(does.text) + ' ' + safe_text(object_text(e_.trace, *does.object)));
    else if (does.target == no_index)
      out_.line(name, std::string(does.text));
    else
      out_.task(name + std::string(does.text), out_.shown(does.target), seen);
    if (i == 0) return;  // shown elsewhere in the panel
    write_location(near_location_of(e_, step));
    if (begin >= 0) out_.at_time("since", static_cast<uint64_t>(begin));
  }

  void write_location(const NearLocation& at) {
    if (const std::string text = location_text(e_.trace, at.location); !text.empty())
      out_.line(at.is_after ? "after" : "at", safe_text(text));
  }

  std::string text() const {
    std::string out;
    for (const TextRun& run : explain(e_, d_)) switch (run.kind) {
        case TextRun::Kind::Text:
          out += safe_text(run.text, 500);
          break;
        case TextRun::Kind::Task:
          out += task_text(e_.trace, e_.model, static_cast<TaskIndex>(run.value));
          break;
        case TextRun::Kind::Location:
          out += safe_text(location_text(e_.trace, static_cast<uint32_t>(run.value)));
          break;
        case TextRun::Kind::Time:
          out += out_.time(run.value);
          break;
        case TextRun::Kind::Duration:
          out += duration_text(static_cast<double>(run.value));
          break;
        case TextRun::Kind::Number:
          out += grouped(run.value);
          break;
        case TextRun::Kind::Address:
          out += address_text(run.value);
          break;
      }
    return out;
  }

  PanelWriter& out_;
  const Subject e_;
  const LiveTaskFinder live_;
  const Diagnosis& d_;
};

}  // namespace

// Writes nothing for tasks that ended as they should.
void write_why(PanelWriter& out, TaskIndex index) {
  const Findings& findings = out.findings();
  const Subject state = out.state();
  const TaskIndex then = findings.end.in_state(out.of().model, index);
  if (then == no_index) return;
  const Model::Task& task = state.model.tasks[then];
  const bool was_cancelled = task.should_resolve && task.how == Model::End::Cancelled;
  if (task.is_resource || (task.how != Model::End::Open && !was_cancelled)) return;
  const Diagnosis d = findings.end.diagnose(out.subject(), then);
  if (d.verdict == Verdict::Ok) return;
  const uint64_t teardown = findings.end.teardown();
  Why(out, state, d).write(teardown == 0 ? std::string() : out.time(teardown));
}

}  // namespace skein
