// `skein why`: explains which tasks are stuck, what they wait for and why.
#include "report/why.h"

#include <algorithm>

#include "cli/commands.h"
#include "cli/die.h"
#include "cli/input/analysis.h"
#include "cli/input/thread_state.h"
#include "cli/output/report_output.h"
#include "trace/ask/find.h"

namespace skein::cli {

namespace {

std::vector<Diagnosis> find_diagnoses(const Subject& subject, const std::string& query) {
  if (query.empty()) return diagnose_all(subject.trace, subject.model, subject.waits);
  const std::vector<TaskIndex> tasks = find_tasks(subject.trace, subject.model, query);
  if (tasks.empty()) die(2, "no task has id, label or name '" + query + "'");
  std::vector<Diagnosis> found;
  std::vector<TaskIndex> open;
  // For a resource: its waiters.
  for (const Waits::Wait& wait : subject.waits.waits)
    if (wait.is_open() && wait.on == tasks.front() &&
        subject.model.tasks[tasks.front()].is_resource)
      open.push_back(wait.task);
  for (const TaskIndex task : tasks)
    if (!subject.model.tasks[task].is_resource && subject.model.tasks[task].how == Model::End::Open)
      open.push_back(task);
  for (const TaskIndex task : open.empty() ? std::vector{tasks.front()} : open)
    found.push_back(diagnose(subject.trace, subject.model, subject.waits, task));
  // As in the report on all tasks, errors are first and pending tasks last.
  const auto rank = [](const Diagnosis& d) {
    return d.is_error() ? 0 : d.verdict == Verdict::Ok ? 1 : 2;
  };
  std::stable_sort(found.begin(), found.end(),
                   [&](const Diagnosis& a, const Diagnosis& b) { return rank(a) < rank(b); });
  return found;
}

// What the threads of a running process do that run a task for long.
void add_thread_states(const std::string& pid, const Subject& subject,
                       std::vector<Diagnosis>& found) {
  for (Diagnosis& d : found)
    if (d.verdict == Verdict::Running && d.executor < subject.trace.executors.size())
      d.thread_state = thread_state(pid, subject.trace.executors[d.executor].tid);
}

}  // namespace

int run_why(const WhyOptions& options) {
  const Analysis analysis = open_analysis(options.trace);
  const Subject subject{analysis.trace, analysis.model, analysis.waits};
  WhyFindings found{.diagnoses = find_diagnoses(subject, options.task)};
  if (analysis.is_live) add_thread_states(options.trace, subject, found.diagnoses);
  if (options.task.empty()) {
    found.failures = unread_failures(subject);
    found.chains = broken_chains(subject);
    found.destroyed = torn_down(subject);
  }
  print_report(
      options.json, analysis.trace, [&] { return why_json(subject, found); },
      [&](size_t) { return why_text(subject, found); });
  return std::any_of(found.diagnoses.begin(), found.diagnoses.end(),
                     [](const auto& d) { return d.is_error(); });
}

}  // namespace skein::cli
