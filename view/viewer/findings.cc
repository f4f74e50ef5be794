// What is wrong with the traces, for notice and panel.
#include "view/viewer/findings.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"
#include "trace/model/names.h"
#include "view/viewer/panel_writer.h"
#include "view/viewer/state.h"

namespace skein {

using State = Viewer::State;

namespace {

std::string summary(const Model& model, const std::vector<Diagnosis>& faults) {
  if (faults.empty()) return {};
  size_t in_all = 0;
  bool is_over = true;              // all have been destroyed since
  std::array<size_t, 10> counts{};  // by verdict
  for (const Diagnosis& d : faults) {
    counts[static_cast<size_t>(d.verdict)] += 1 + d.also.size();
    in_all += 1 + d.also.size();
    is_over &= model.tasks[d.chain[0].task].how != Model::End::Open;
  }
  std::string text = grouped(in_all) + (in_all == 1 ? " task" : " tasks") +
                     (is_over       ? " did not"
                      : in_all == 1 ? " does not"
                                    : " do not") +
                     " go on";
  std::string_view before = ": ";
  for (size_t i = 0; i < counts.size(); i++) {
    if (counts[i] == 0) continue;
    text += before;
    if (counts[i] != in_all) text += grouped(counts[i]) + " ";
    text += name(static_cast<Verdict>(i));
    before = ", ";
  }
  return text;
}

}  // namespace

Findings::Findings(const Trace& trace, const Model& shown) {
  const auto is_simplified = [](const Model::Task& task) { return task.starts_late; };
  if (std::any_of(shown.tasks.begin(), shown.tasks.end(), is_simplified))
    whole = build_model(trace, {.simplify = false});
  waits = find_waits(trace, model(shown));
  faults = diagnose_all(trace, model(shown), waits);
  while (!faults.empty() && !faults.back().is_fault()) faults.pop_back();  // the first are
  alarm = summary(model(shown), faults);
}

const Findings& State::Traced::findings() const {
  if (!found_out) found_out = std::make_shared<const Findings>(trace, model);
  return *found_out;
}

std::string State::alarm() const {
  std::string text = linked;
  std::string_view before = text.empty() ? "" : ". ";
  for (const auto& of : traces) {
    const std::string& alarm = of->findings().alarm;
    if (alarm.empty()) continue;
    text += before;
    before = "; ";
    if (traces.size() > 1) text += of->title + ": ";
    text += alarm;
  }
  return text;
}

// From the selected one, else the first of all; what belongs to it is highlighted.
void State::next_fault() {
  std::vector<Target> all;
  for (uint32_t track = 0; track < traces.size(); track++)
    for (const Diagnosis& d : traced(track).findings().faults) {
      all.push_back({track, d.chain[0].task});
      for (const TaskIndex task : d.also) all.push_back({track, task});
    }
  if (all.empty()) return;
  size_t next = 0;
  for (size_t i = 0; i < all.size(); i++)
    if (selected_task() && all[i].track == selection.track && all[i].task == selection.index)
      next = (i + 1) % all.size();
  const uint32_t track = all[next].track;
  const TaskIndex task = all[next].task;
  const Traced& of = traced(track);
  const Subject subject = of.findings().subject(of.trace, of.model);
  const Diagnosis d = diagnose(of.trace, subject.model, subject.waits, task);
  const auto begin = static_cast<double>(std::max<int64_t>(0, since(subject, d.chain[0])));
  go_to(track, task, begin + of.offset);
  related = true;
  mark();
  if (d.notice == Waits::none) return;
  // That it was notified, and that it waits, can be told apart.
  const Waits& waits = subject.waits;
  const Diagnosis::Step& waiter = d.chain[d.chain.size() - 2];
  const double early = static_cast<double>(waits.notices[d.notice].time) + of.offset;
  const double late = static_cast<double>(waits.waits[waiter.wait].begin) + of.offset;
  const double margin = std::max(3 * (late - early), 1'000.0);
  constexpr double lowest_bar = 6;  // pixels
  const double row = row_of(track, waiter.task);
  if (std::isnan(row))
    navigation.show(early - margin, late + margin);
  else
    navigation.show_row(early - margin, late + margin, row, lowest_bar);
}

void State::relate_fault() {
  const Traced& of = traced(selection.track);
  if (of.model.tasks[selection.index].how != Model::End::Open) return;
  const Subject subject = of.findings().subject(of.trace, of.model);
  const Diagnosis d = diagnose(of.trace, subject.model, subject.waits, selection.index);
  if (!d.is_fault()) return;
  std::vector<uint8_t>& marks = traced(selection.track).marks;
  for (const Diagnosis::Step& step : d.chain) marks[step.task] = 1;
  if (d.notice == Waits::none) return;
  const TaskIndex by = subject.waits.notices[d.notice].by;
  if (by != no_index) marks[by] = 1;
}

namespace {

constexpr size_t most_steps = 12;

class Why {
 public:
  Why(PanelWriter& out, const Subject& subject, const Diagnosis& diagnosis)
      : out_(out), e_(subject), d_(diagnosis) {}

  void write() {
    out_.heading("why", std::string(name(d_.verdict)));
    out_.line("", text());
    for (size_t i = 0; i < d_.chain.size() && i < most_steps; i++) step(i);
    if (d_.chain.size() > most_steps)
      out_.line("", grouped(d_.chain.size() - most_steps) + " more");
    if (d_.notice != Waits::none) {
      const Waits::Notice& notice = e_.waits.notices[d_.notice];
      out_.task("notified by", notice.by, out_.on_line(notice.time), ", " + out_.time(notice.time));
      place(notice.location);
    }
    if (d_.busy != no_index) out_.task("ran instead", d_.busy);
  }

 private:
  // What it does, where, and since when.
  void step(size_t i) {
    const Diagnosis::Step& step = d_.chain[i];
    const StepText does = describe_step(e_, d_, i);
    const int64_t begin = since(e_, step);
    const double seen = out_.on_line(static_cast<uint64_t>(std::max<int64_t>(begin, 0)));
    if (e_.model.tasks[step.task].is_resource && does.target == no_index) return;
    const std::string name = i == 0 ? std::string() : "which ";
    if (does.target == no_index)
      out_.line(name, std::string(does.text));
    else
      out_.task(name + std::string(does.text), does.target, seen);
    if (i == 0) return;  // that is told elsewhere in the panel
    place(location_of(e_, step));
    if (begin >= 0) out_.at_time("since", static_cast<uint64_t>(begin));
  }

  void place(uint32_t location) {
    if (const std::string text = place_text(e_.trace, location); !text.empty())
      out_.line("in", safe_text(text));
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
          out += safe_text(place_text(e_.trace, static_cast<uint32_t>(run.value)));
          break;
        case TextRun::Kind::Time:
          out += out_.time(run.value);
          break;
        case TextRun::Kind::Duration:
          out += duration_text(static_cast<double>(run.value));
          break;
      }
    return out;
  }

  PanelWriter& out_;
  const Subject e_;
  const Diagnosis& d_;
};

}  // namespace

// Nothing of what has ended as it should.
void write_why(PanelWriter& out, TaskIndex index) {
  const State::Traced& of = out.of();
  const Model::Task& task = of.model.tasks[index];
  const bool cut_off = task.should_resolve && task.how == Model::End::Cancelled;
  if (task.is_resource || (task.how != Model::End::Open && !cut_off)) return;
  const Subject subject = of.findings().subject(of.trace, of.model);
  const Diagnosis d = diagnose(of.trace, subject.model, subject.waits, index);
  if (d.verdict != Verdict::Fine) Why(out, subject, d).write();
}

}  // namespace skein
