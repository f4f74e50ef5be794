#include "cli/check/trace_checks.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/escape.h"
#include "base/function_name.h"
#include "base/text.h"
#include "cli/input/trace_input.h"
#include "report/doctor.h"
#include "trace/ask/doctor/runs.h"
#include "trace/model/names.h"

namespace skein::cli {

namespace {

bool names_function(std::string_view name, std::string_view function) {
  if (name == function) return !function.empty();
  return name.ends_with(function) && name.substr(0, name.size() - function.size()).ends_with("::");
}

// The first problem is the reason, the others are in the report.
void add_problem(Outcome& outcome, const std::string& line) {
  if (outcome.verdict == TestVerdict::Passed) {
    outcome.verdict = TestVerdict::Failed;
    outcome.reason = line;
  } else {
    outcome.report += line + "\n";
  }
}

void check_budget(const Budget& budget, const std::vector<TaskCost>& costs,
                  const std::string& losses, Outcome& outcome) {
  const double measured = measure(budget, costs);
  const bool met = is_met(budget, measured);
  const std::string what = "budget '" + escaped(budget.text) + "'";
  std::string value = measured_text(budget, measured);
  if (budget.statistic != Budget::Statistic::Count)
    value += ", of " + counted(costs.size(), "task");
  if (losses.empty() ? !met : !met && only_grows(budget))
    add_problem(outcome, what + " missed: " + value);
  else if (!losses.empty())
    add_problem(outcome, what + " unknown: the trace is not complete (" + losses + ")");
}

}  // namespace

std::vector<TaskCost> costs_of(const Subject& subject, std::string_view function) {
  const Model& model = subject.model;
  std::vector<bool> belongs(model.tasks.size(), false);
  for (TaskIndex task = 0; task < model.tasks.size(); task++) {
    const Model::Task& one = model.tasks[task];
    if (one.is_resource) continue;
    const auto& strings = subject.trace.strings;
    const Location& location = subject.trace.locations[one.location];
    belongs[task] = (one.label != 0 && names_function(strings[one.label], function)) ||
                    (one.name != 0 && names_function(strings[one.name], function)) ||
                    names_function(short_function_name(strings[location.function]), function);
  }
  for (const Model::Label& label : model.labels)
    if (label.task < belongs.size() && !model.tasks[label.task].is_resource &&
        names_function(subject.trace.strings[label.text], function))
      belongs[label.task] = true;

  std::vector<uint32_t> row(model.tasks.size(), UINT32_MAX);
  std::vector<TaskCost> costs;
  const auto cost_of = [&](TaskIndex task) -> TaskCost& {
    if (row[task] == UINT32_MAX) {
      row[task] = static_cast<uint32_t>(costs.size());
      costs.emplace_back();
    }
    return costs[row[task]];
  };
  std::vector<Run> runs = long_runs(subject, 1);
  std::erase_if(runs, [&](const Run& run) { return !belongs[run.task]; });
  std::stable_sort(runs.begin(), runs.end(),
                   [](const Run& a, const Run& b) { return a.begin < b.begin; });
  std::vector<uint32_t> last_executor(model.tasks.size(), UINT32_MAX);
  for (const Run& run : runs) {
    TaskCost& cost = cost_of(run.task);
    cost.running += static_cast<double>(run.cpu ? run.cpu->most : run.ran);
    const uint32_t before = std::exchange(last_executor[run.task], run.executor);
    if (before != UINT32_MAX && before != run.executor) cost.hops += 1;
  }
  for (const Waits::Wait& wait : subject.waits.waits)
    if (wait.task < belongs.size() && belongs[wait.task]) cost_of(wait.task).awaits += 1;
  return costs;
}

std::string losses_text(const Trace& trace) {
  std::string text;
  if (!trace.live_tasks.empty()) text = "the ring has overwritten its oldest events";
  for (const Loss& loss : trace.losses) {
    if (loss.events == 0 || text.size() > 200) continue;
    text += (text.empty() ? "" : "; ") + escaped(loss_text(loss));
  }
  return text;
}

bool check_trace(const TraceChecks& checks, const std::string& directory, Outcome& outcome,
                 std::vector<bool>& has_run) {
  std::error_code error;
  if (checks.is_empty() || !std::filesystem::exists(directory, error)) return checks.is_empty();
  const Trace trace = open_trace(directory);
  const Model model = build_model(trace, {.simplify = false});
  const Waits waits = find_waits(trace, model);
  const Subject subject{trace, model, waits};
  const std::string losses = losses_text(trace);
  for (size_t i = 0; i < checks.budgets.size(); i++) {
    const std::vector<TaskCost> costs = costs_of(subject, checks.budgets[i].function);
    if (costs.empty()) continue;
    has_run[i] = true;
    check_budget(checks.budgets[i], costs, losses, outcome);
  }
  if (checks.lints == 0) return true;
  const DoctorReport report(subject, directory);
  for (const Finding& finding : examine(trace, model, waits, {.lints = checks.lints}))
    if (finding.severity != Finding::Severity::Note) add_problem(outcome, report.headline(finding));
  if (!losses.empty())
    outcome.report +=
        "Note: the trace is not complete (" + losses + "), so that findings may be missing.\n";
  return true;
}

}  // namespace skein::cli
