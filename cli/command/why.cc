// `skein why`: explains which tasks are stuck, what they wait for and why.
#include "report/why.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/die.h"
#include "cli/input/analysis.h"
#include "cli/input/blocked_call.h"
#include "cli/input/running.h"
#include "cli/input/socket_state.h"
#include "cli/input/thread_state.h"
#include "cli/input/trace_input.h"
#include "cli/output/memory_report.h"
#include "cli/output/report_output.h"
#include "cli/output/unprepared_report.h"
#include "report/doctor.h"
#include "trace/ask/end_state.h"
#include "trace/ask/find.h"
#include "trace/ask/unserved.h"

namespace skein::cli {

namespace {

std::vector<Diagnosis> find_diagnoses(const EndState& end, const Subject& whole,
                                      const std::string& query) {
  if (query.empty()) return {end.diagnoses().begin(), end.diagnoses().end()};
  const Subject subject = end.subject(whole);
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
    found.push_back(end.diagnose(whole, task));
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
  const LiveTaskFinder live(subject);
  const auto state_of = [&](uint32_t executor) {
    if (executor >= subject.trace.executors.size()) return std::string();
    const uint64_t tid = subject.trace.executors[executor].tid;
    return thread_state(pid, tid) + blocked_call(pid, tid, subject);
  };
  for (Diagnosis& d : found) {
    if (d.verdict != Verdict::Running) continue;
    d.thread_state = state_of(d.executor);
    // One text for all.
    for (const TaskIndex task : d.similar)
      if (state_of(live.find(task).executor) != d.thread_state) d.thread_state.clear();
  }
}

// What `skein doctor` finds, apart from notes and from lints about waits, which the diagnoses
// explain. Of the notes it has two tasks that wake each other, because each of them waits only for
// a timer that has not expired.
std::vector<std::string> other_findings(const Analysis& analysis) {
  constexpr size_t most = 5;
  const DoctorReport report({analysis.trace, analysis.model, analysis.waits}, "");
  std::vector<std::string> lines;
  for (const Finding& f :
       examine(analysis.trace, analysis.model, analysis.waits, {.is_live = analysis.is_live})) {
    const bool is_wait = f.lint == Lint::NotifyBeforeWait || f.lint == Lint::SuspendedTooLong ||
                         f.lint == Lint::OperationPending || f.lint == Lint::HandlerNeverInvoked;
    const bool is_loop = f.lint == Lint::SelfWake && f.other != no_index;
    const bool is_note = f.severity == Finding::Severity::Note && !is_loop;
    if (is_wait || is_note || lines.size() == most) continue;
    lines.push_back(report.headline(f));
  }
  return lines;
}

// The tasks that were destroyed, in the state before that.
std::vector<TornDown> find_destroyed(const EndState& end, const Subject& whole) {
  std::vector<TornDown> destroyed = torn_down(whole);
  const Subject subject = end.subject(whole);
  if (end.teardown() == 0) return destroyed;
  size_t kept = 0;
  for (const TornDown& group : destroyed) {
    const TaskIndex task = end.in_state(whole.model, group.task);
    if (task == no_index || subject.waits.last_wait[task] == Waits::none) continue;
    destroyed[kept++] = {.task = task, .wait = subject.waits.last_wait[task], .count = group.count};
  }
  destroyed.resize(kept);
  return destroyed;
}

}  // namespace

int run_why(const WhyOptions& options) {
  const UnpreparedRequest request{.target = options.trace,
                                  .report = UnpreparedReport::Explanation,
                                  .json = options.json,
                                  .stop = options.stop,
                                  .locals = options.locals,
                                  .program = options.program,
                                  .search_limit = options.search_limit};
  if (options.task.empty())
    if (const auto status = report_unprepared(request)) return *status;
  const Analysis analysis = open_analysis(options.trace, {}, {.memory = true, .profiles = false});
  require_recording(analysis.trace, options.trace);
  MemoryReport memory;
  if (analysis.is_live && options.task.empty())
    memory = read_memory(request, options.search_memory);
  else
    refuse_without_memory(request);
  const Subject whole{analysis.trace, analysis.model, analysis.waits};
  std::vector<std::string> others;
  if (options.task.empty() && !options.json) others = other_findings(analysis);
  const EndState end(whole, analysis.is_live);
  const Subject subject = end.subject(whole);
  WhyFindings found{.diagnoses = find_diagnoses(end, whole, options.task),
                    .teardown = end.teardown(),
                    .is_live = analysis.is_live,
                    .others = std::move(others)};
  if (analysis.is_live) {
    add_thread_states(options.trace, subject, found.diagnoses);
    add_socket_states(options.trace, subject, found.diagnoses);
  }
  if (options.task.empty()) {
    found.destroyed = find_destroyed(end, whole);
    found.failures = unread_failures(subject);
    add_unserved(subject, found.diagnoses, found.failures);
    found.chains = broken_chains(subject);
    found.interleaved = find_interleaved(subject);
  }
  print_report(
      options.json, analysis.trace,
      [&] {
        Json all = why_json(subject, found);
        add_memory_json(memory, all);
        return all;
      },
      [&](size_t columns) { return why_text(subject, found) + memory_why_text(memory, columns); });
  const auto is_error = [](const auto& one) { return one.is_error(); };
  return !found.interleaved.empty() || shows_deadlock(memory) ||
         std::any_of(found.diagnoses.begin(), found.diagnoses.end(), is_error) ||
         std::any_of(found.failures.begin(), found.failures.end(), is_error);
}

}  // namespace skein::cli
