// `skein why`: explains which tasks are stuck, what they wait for and why.
#include "report/why.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/die.h"
#include "cli/input/analysis.h"
#include "cli/input/socket_state.h"
#include "cli/input/thread_state.h"
#include "cli/output/report_output.h"
#include "report/doctor.h"
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

// What `skein doctor` finds, apart from notes and from lints about waits, which the diagnoses
// explain.
std::vector<std::string> other_findings(const Analysis& analysis) {
  constexpr size_t most = 5;
  const DoctorReport report({analysis.trace, analysis.model, analysis.waits}, "");
  std::vector<std::string> lines;
  for (const Finding& f :
       examine(analysis.trace, analysis.model, analysis.waits, {.is_live = analysis.is_live})) {
    const bool is_wait = f.lint == Lint::NotifyBeforeWait || f.lint == Lint::SuspendedTooLong ||
                         f.lint == Lint::OperationPending || f.lint == Lint::HandlerNeverInvoked;
    if (is_wait || f.severity == Finding::Severity::Note || lines.size() == most) continue;
    lines.push_back(report.headline(f));
  }
  return lines;
}

// Lets the analysis of a program that has ended end where it began to destroy its tasks: until then
// they waited. Returns that time; 0 if it left none.
uint64_t undo_teardown(Analysis& analysis, std::vector<TornDown>& destroyed) {
  const uint64_t begin = teardown_begin({analysis.trace, analysis.model, analysis.waits});
  if (analysis.is_live || begin == UINT64_MAX) return 0;
  std::vector<TaskId> ids;
  for (const TornDown& group : destroyed) ids.push_back(analysis.model.tasks[group.task].id);
  remove_from(analysis.trace, begin);
  analysis.model = build_model(analysis.trace, {.simplify = false, .until = begin});
  analysis.waits = find_waits(analysis.trace, analysis.model);
  size_t kept = 0;
  for (size_t i = 0; i < destroyed.size(); i++) {
    const TaskIndex task = analysis.model.find(ids[i]);
    if (task == no_index || analysis.waits.last_wait[task] == Waits::none) continue;
    destroyed[kept++] = {
        .task = task, .wait = analysis.waits.last_wait[task], .count = destroyed[i].count};
  }
  destroyed.resize(kept);
  return begin;
}

}  // namespace

int run_why(const WhyOptions& options) {
  Analysis analysis = open_analysis(options.trace);
  std::vector<TornDown> destroyed;
  if (options.task.empty()) destroyed = torn_down({analysis.trace, analysis.model, analysis.waits});
  std::vector<std::string> others;
  if (options.task.empty() && !options.json) others = other_findings(analysis);
  const uint64_t teardown = undo_teardown(analysis, destroyed);
  const Subject subject{analysis.trace, analysis.model, analysis.waits};
  WhyFindings found{.diagnoses = find_diagnoses(subject, options.task),
                    .destroyed = std::move(destroyed),
                    .teardown = teardown,
                    .is_live = analysis.is_live,
                    .others = std::move(others)};
  if (analysis.is_live) {
    add_thread_states(options.trace, subject, found.diagnoses);
    add_socket_states(options.trace, subject, found.diagnoses);
  }
  if (options.task.empty()) {
    found.failures = unread_failures(subject);
    found.chains = broken_chains(subject);
  }
  print_report(
      options.json, analysis.trace, [&] { return why_json(subject, found); },
      [&](size_t) { return why_text(subject, found); });
  const auto is_error = [](const auto& one) { return one.is_error(); };
  return std::any_of(found.diagnoses.begin(), found.diagnoses.end(), is_error) ||
         std::any_of(found.failures.begin(), found.failures.end(), is_error);
}

}  // namespace skein::cli
