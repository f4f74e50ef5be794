// `skein diff`: compares two runs: the first divergence, then the timing.
#include "report/diff.h"

#include <array>

#include "base/escape.h"
#include "cli/commands.h"
#include "cli/input/analysis.h"
#include "cli/input/running.h"
#include "cli/input/trace_input.h"
#include "cli/output/page.h"
#include "cli/output/report_output.h"
#include "cli/output/window.h"
#include "view/viewer/annotations.h"

namespace skein::cli {

namespace {

// An event that is missing in the bad run has no position there. Returns an event to show instead:
// the open wait, or else the creation, of the counterpart of the task in the good run. If there is
// none, uses the last task of the victim's wait chain.
CausalEvent instead(const Comparison& a, const Divergence& d) {
  TaskIndex task = d.good.task == no_index ? no_index : a.aligned.in_bad[d.good.task];
  if (task == no_index && !d.victim.chain.empty()) task = d.victim.chain.back().task;
  if (task == no_index) return {};
  const Model::Task& open = a.bad.subject.model.tasks[task];
  if (const Waits::Wait* wait = a.bad.subject.waits.open(task))
    return {.kind = EventKind::Suspend, .task = task, .other = wait->on, .time = wait->begin};
  return {.kind = EventKind::Create, .task = task, .time = open.start};
}

// Returns the annotations of a picture: the matched tasks and the first divergence.
Annotations annotations_of(const Comparison& a) {
  Annotations annotations;
  const auto id = [](const ComparedRun& side, TaskIndex task) {
    return side.subject.model.tasks[task].id;
  };
  for (TaskIndex good = 0; good < a.aligned.in_bad.size(); good++) {
    const TaskIndex bad = a.aligned.in_bad[good];
    if (bad == no_index) continue;
    // In a damaged trace two tasks may have the same id; find() returns the last one.
    const std::pair match(id(a.good, good), id(a.bad, bad));
    if (a.good.subject.model.find(match.first) == good &&
        a.bad.subject.model.find(match.second) == bad)
      annotations.matches.push_back(match);
  }
  if (a.divergences.empty()) return annotations;
  const Divergence& first = a.divergences.front();
  const auto note = [&](uint32_t trace, const ComparedRun& side, const CausalEvent& h,
                        std::string before) {
    if (h.kind == EventKind::Lost || h.task == no_index) return;
    annotations.notes.push_back({.trace = trace,
                                 .task = id(side, h.task),
                                 .clock = side.subject.trace.info.start + h.time,
                                 .text = std::move(before) + sentence(side, h, Detail::Event)});
  };
  const bool order = first.kind == Divergence::Kind::Order;
  note(0, a.good, first.good, order ? "first: " : "");
  if (order) {
    note(0, a.good, first.good_later, "then: ");
    note(1, a.bad, first.bad_earlier, "first: ");
  }
  note(1, a.bad, first.bad, order ? "then: " : "");
  if (first.bad.kind == EventKind::Lost) note(1, a.bad, instead(a, first), "instead: ");
  annotations.text = "First divergence: " + headline(a, first);
  if (const std::string text = consequence(a, first); !text.empty()) annotations.text += ' ' + text;
  annotations.text.pop_back();  // the full stop
  return annotations;
}

// In a picture the runs are named after their traces if those have different names.
void name_runs(Comparison& a, const std::string& good, const std::string& bad) {
  const bool are_told_apart = trace_name(good) != trace_name(bad);
  a.good.name = are_told_apart ? escaped(trace_name(good)) : "good (above)";
  a.bad.name = are_told_apart ? escaped(trace_name(bad)) : "bad (below)";
}

void write_picture(const Comparison& a, const std::string& good, const std::string& bad,
                   const std::string& output) {
  write_page({.traces = {trace_directory(good), trace_directory(bad)},
              .output = output,
              .title = trace_name(good) + " and " + trace_name(bad),
              .align_by_start = true,
              .annotations = write_annotations(annotations_of(a))});
}

}  // namespace

int run_diff(const DiffOptions& options) {
  reject_duplicate_stdin(std::array{options.good, options.bad});
  const bool draws = options.view || !options.page.empty();
  if (draws) reject_stdio(std::array{options.good, options.bad}, options.page);
  const std::string window = options.view ? window_program() : "";
  const Analysis good = open_analysis(options.good, {}, {.profiles = false});
  require_recording(good.trace, options.good);
  // Uses the clock of the good trace, as page and window do, so that the times of markers match.
  const Analysis bad =
      open_analysis(options.bad, {&good.trace.info.tick_clock, 1}, {.profiles = false});
  require_recording(bad.trace, options.bad);
  Comparison a = compare_runs({"good", {good.trace, good.model, good.waits}},
                              {"bad", {bad.trace, bad.model, bad.waits}});
  print_report(
      options.json, bad.trace, [&] { return diff_json(a); },
      [&](size_t) { return diff_text(a, options.lines); });
  name_runs(a, options.good, options.bad);
  if (!options.page.empty()) write_picture(a, options.good, options.bad, options.page);
  if (options.view)
    exec_viewer(window, {"--annotations", write_to_memfd(write_annotations(annotations_of(a)))},
                {trace_directory(options.good), trace_directory(options.bad)});
  return a.divergences.empty() ? 0 : 1;
}

}  // namespace skein::cli
