#include "cli/input/analysis.h"

#include <unistd.h>

#include "cli/input/process_sleep.h"
#include "cli/input/running.h"
#include "cli/input/thread_state.h"
#include "cli/input/trace_input.h"
#include "cli/output/progress.h"
#include "cli/utc_now.h"

namespace skein::cli {

namespace {

// `utc` as a time of the trace; 0 if the trace does not relate its clock to UTC.
uint64_t time_of(const TraceInfo& info, int64_t utc) {
  if (!info.utc_offset) return 0;
  const int64_t time = utc - *info.utc_offset - static_cast<int64_t>(info.start);
  return time < 0 ? 0 : static_cast<uint64_t>(time);
}

// Adds what only the running process shows, up to `now`. `before`: read before the trace.
void add_present(const std::string& pid, const ProcessSleep& before, uint64_t now, Trace& trace) {
  add_cpu_times(pid, now, trace);
  const ProcessSleep during = sleep_since(before, pid);
  if (during.in_loop) trace.info.alone = now;
  if (during.for_good) trace.info.asleep = now;
}

}  // namespace

Analysis open_analysis(const std::string& trace_or_pid, std::span<const TickClock> clocks,
                       AcceptedInputs inputs) {
  const std::string path = trace_directory(trace_or_pid);
  const int64_t now = utc_now();  // later events are not read, which may take a second
  const bool is_live = path != trace_or_pid;
  const ProcessSleep sleep = is_live ? read_sleep(trace_or_pid) : ProcessSleep{};
  Analysis analysis{
      .trace = open_trace(path, clocks, inputs), .model = {}, .waits = {}, .is_live = is_live};
  report_losses(analysis.trace, path);
  const uint64_t until = is_live ? time_of(analysis.trace.info, now) : 0;
  if (until != 0) add_present(trace_or_pid, sleep, until, analysis.trace);
  const Spinner spinner(stderr, isatty(STDERR_FILENO), "building the wait-for graph");
  analysis.model =
      build_model(analysis.trace, {.simplify = false, .until = until, .is_live = is_live});
  analysis.waits = find_waits(analysis.trace, analysis.model);
  return analysis;
}

}  // namespace skein::cli
