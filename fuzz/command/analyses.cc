// What an analysis prints about a trace:
//
//   u8 command    modulo 8: why, doctor, critical, stats, ps, info, dump, times by logical
//                stack; 0x80: as JSON
//   u8 until      the time of the last sign of life; the rest is the trace, as in any_trace.h
#include <algorithm>
#include <array>

#include "fuzz/command/any_trace.h"
#include "report/critical.h"
#include "report/doctor.h"
#include "report/dump.h"
#include "report/info.h"
#include "report/live_tasks.h"
#include "report/stats.h"
#include "report/why.h"
#include "trace/ask/find.h"
#include "trace/ask/logical_samples.h"
#include "trace/ask/unserved.h"

using namespace skein;
using fuzz::require;
using fuzz::require_printable;

namespace {

void check_why(const Subject& s, bool json) {
  WhyFindings found{.diagnoses = diagnose_all(s.trace, s.model, s.waits),
                    .failures = unread_failures(s),
                    .chains = broken_chains(s),
                    .interleaved = find_interleaved(s),
                    .destroyed = torn_down(s)};
  add_unserved(s, found.diagnoses, found.failures);
  require_printable(json ? why_json(s, found).text() : why_text(s, found));
}

void check_doctor(const Subject& s, bool json) {
  const DoctorOptions options{.suspended = 1000, .running = 1000, .held = 1000, .strict = true};
  const DoctorReport report(s, "trace");
  const std::vector<Finding> found = examine(s.trace, s.model, s.waits, options);
  require_printable(json ? report.json(found).text() : report.text(found));
}

void check_critical(const Subject& s, bool json) {
  const Model& model = s.model;
  for (TaskIndex task = 0; task < std::min<size_t>(model.tasks.size(), 4); task++) {
    CriticalPath path{.task = task, .from = model.tasks[task].start, .to = end_of(model, task)};
    path.segments = critical_path(s.trace, model, s.waits, task, path.from, path.to);
    uint64_t last = path.from;
    for (const Segment& segment : path.segments) {
      require(segment.begin == last && segment.end >= segment.begin);
      last = segment.end;
    }
    require_printable(json ? critical_json(s.trace, model, path).text()
                           : critical_text(s.trace, model, path, task % 2 == 0));
  }
}

void check_logical_times(const Subject& s, bool) {
  const LogicalTimes times = find_logical_times(s);
  for (const LogicalTimes::Interval& one : times.intervals)
    require(one.begin < one.end && one.task < s.model.tasks.size() &&
            one.stack < times.stacks.size());
  for (const StacksBy by :
       {StacksBy::None, StacksBy::Task, StacksBy::Executor, StacksBy::Thread, StacksBy::Label}) {
    const StackTree tree = logical_tree(
        s, times, {.states = {.running = true, .ready = true, .suspended = true}, .by = by});
    require(!tree.nodes.empty());
    require(find_logical_samples(s, times, {.by = by}).tree.nodes[0].weight >= 0);
  }
}

void check_stats(const Subject& s, bool json) {
  for (const GroupBy by : {GroupBy::Name, GroupBy::Kind, GroupBy::Location}) {
    const std::vector<TaskGroup> groups = task_groups(s.trace, s.model, s.waits, by);
    require_printable(json ? stats_json(groups).text()
                           : stats_text(groups, !s.waits.waits.empty()));
    if (!json && !groups.empty()) require_printable(latency_histogram(groups[0], "#"));
  }
}

void check_ps(const Subject& s, bool json) {
  const LiveTaskList live = live_task_list(s, s.model.end);
  if (json) {
    require_printable(live_tasks_json(live).text());
  } else {
    require_printable(live_tasks_text(live, {.tree = true, .width = 40}));
    require_printable(live_tasks_text(live, {}));
  }
}

void check_info(const Subject& s, bool json) {
  const Summary summary = summarize(s);
  require_printable(json ? info_json(s.trace, summary).text() : info_text(s.trace, summary));
}

void check_dump(const Subject& s, bool json) {
  const DumpReport dump(s.trace);
  std::string lines;
  for (size_t i = 0; i < s.trace.events.size(); i++)
    json ? dump.append_json(lines, i) : dump.append_text(lines, i);
  require_printable(lines);
}

using Check = void (*)(const Subject&, bool json);
constexpr std::array<Check, 8> checks = {check_why,   check_doctor,       check_critical,
                                         check_stats, check_ps,           check_info,
                                         check_dump,  check_logical_times};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Cursor in({data, size});
  const uint8_t command = in.u8();
  const uint8_t until = in.u8();
  const Trace trace = fuzz::any_trace(in);
  const Model model = build_model(trace, {.simplify = false, .until = uint64_t{until} << 20});
  const Waits waits = find_waits(trace, model);
  checks[command % 0x80u % checks.size()]({trace, model, waits}, (command & 0x80) != 0);
  return 0;
}
