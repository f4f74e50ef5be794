// `skein critical`: prints the critical path of a task or time range.
#include "report/critical.h"

#include <algorithm>
#include <optional>

#include "base/duration.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/die.h"
#include "cli/input/analysis.h"
#include "cli/input/trace_input.h"
#include "cli/output/report_output.h"
#include "trace/ask/find.h"
#include "trace/model/names.h"

namespace skein::cli {

namespace {

struct Moment {
  uint64_t time = 0;
  TaskIndex task = no_index;
};

// Parses a time, a label or a task name. A label is the time of its first use. A task name is the
// start of the first task with that name or, if `is_end`, the end of the last one.
Moment moment(const Trace& trace, const Model& model, const std::string& option,
              const std::string& text, bool is_end) {
  if (const std::optional<double> time = parse_duration(text)) {
    if (!(*time >= 0)) die(2, option + " is before the trace");
    if (!is_end && *time >= static_cast<double>(model.end))
      die(2, option + " " + text + ": the trace ends at " + duration_text(model.end));
    return {static_cast<uint64_t>(std::min(*time, static_cast<double>(model.end))), no_index};
  }
  const std::vector<TaskIndex> tasks = find_tasks(trace, model, text);
  if (tasks.empty())
    die(2,
        option + ": '" + text + "' is neither a time (1.5s, 20ms, 300us) nor the name of a task");
  const auto is_called_that = [&](TaskIndex task) {
    return task_name(trace, model.tasks[task]) == text;
  };
  if (std::none_of(tasks.begin(), tasks.end(), is_called_that))
    for (const Model::Label& label : model.labels)
      if (trace.strings[label.text] == text) return {label.time, label.task};
  if (!is_end) return {model.tasks[tasks.front()].start, tasks.front()};
  const TaskIndex last = *std::max_element(tasks.begin(), tasks.end(), [&](auto a, auto b) {
    return end_of(model, a) < end_of(model, b);
  });
  return {end_of(model, last), last};
}

CriticalPath understand(const Analysis& analysis, const CriticalOptions& options) {
  const Trace& trace = analysis.trace;
  const Model& model = analysis.model;
  CriticalPath path{.to = model.end};
  if (!options.task.empty()) {
    const std::vector<TaskIndex> tasks = find_tasks(trace, model, options.task);
    if (tasks.empty()) die(2, "no task has id, label or name '" + options.task + "'");
    path.task = longest_of(model, tasks);
    path.from = model.tasks[path.task].start;
    path.to = end_of(model, path.task);
  }
  if (!options.from.empty()) path.from = moment(trace, model, "--from", options.from, false).time;
  if (!options.to.empty()) {
    const Moment to = moment(trace, model, "--to", options.to, true);
    path.to = to.time;
    if (path.task == no_index) path.task = to.task;
  }
  if (path.task == no_index && options.to.empty()) {
    path.task = last_of_program(trace, model, analysis.waits);
    if (path.task != no_index) path.to = end_of(model, path.task);
  }
  if (path.task == no_index) path.task = current_at(model, path.to);
  if (path.from >= path.to) {
    if (options.from.empty() && options.to.empty()) die(2, "empty time range");
    if (options.from.empty()) die(2, "--to " + options.to + " is not after the start of the path");
    die(2, "--from " + options.from + " is not before " +
               (options.to.empty() ? "the end of the path" : "--to " + options.to));
  }
  return path;
}

}  // namespace

int run_critical(const CriticalOptions& options) {
  const Analysis a = open_analysis(options.trace, {}, {.profiles = false});
  require_recording(a.trace, options.trace);
  CriticalPath path = understand(a, options);
  path.segments = critical_path(a.trace, a.model, a.waits, path.task, path.from, path.to);
  print_report(
      options.json, a.trace, [&] { return critical_json(a.trace, a.model, path); },
      [&](size_t) { return critical_text(a.trace, a.model, path, options.all); });
  return 0;
}

}  // namespace skein::cli
