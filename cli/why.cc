// `skein why`: what is stuck, on what, and what is wrong there, in words.
#include "report/why.h"

#include <algorithm>

#include "cli/analysis.h"
#include "cli/commands.h"
#include "cli/die.h"
#include "cli/report_output.h"
#include "trace/ask/find.h"

namespace skein::cli {

namespace {

std::vector<Diagnosis> ask(const Subject& facts, const std::string& asked) {
  if (asked.empty()) return diagnose_all(facts.trace, facts.model, facts.waits);
  const std::vector<TaskIndex> tasks = find_tasks(facts.trace, facts.model, asked);
  if (tasks.empty()) die(2, "no task has id, label or name '" + asked + "'");
  std::vector<Diagnosis> found;
  std::vector<TaskIndex> open;
  // Of a resource: who waits for it.
  for (const Waits::Wait& wait : facts.waits.waits)
    if (wait.is_open() && wait.on == tasks.front() && facts.model.tasks[tasks.front()].is_resource)
      open.push_back(wait.task);
  for (const TaskIndex task : tasks)
    if (!facts.model.tasks[task].is_resource && facts.model.tasks[task].how == Model::End::Open)
      open.push_back(task);
  for (const TaskIndex task : open.empty() ? std::vector{tasks.front()} : open)
    found.push_back(diagnose(facts.trace, facts.model, facts.waits, task));
  return found;
}

}  // namespace

int run_why(const WhyOptions& options) {
  const Analysis analysis = open_analysis(options.trace);
  const Subject facts{analysis.trace, analysis.model, analysis.waits};
  const std::vector<Diagnosis> found = ask(facts, options.task);
  print_report(
      options.json, analysis.trace, [&] { return why_json(facts, found); },
      [&](size_t) { return why_text(facts, found); });
  return std::any_of(found.begin(), found.end(), [](const auto& d) { return d.is_error(); });
}

}  // namespace skein::cli
