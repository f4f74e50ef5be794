#include "cli/input/recorded_meanwhile.h"

#include <skein/format.h>

#include <algorithm>
#include <utility>

#include "base/escape.h"
#include "base/text.h"
#include "cli/die.h"
#include "cli/input/recorded_trace.h"
#include "cli/input/stack_functions.h"
#include "cli/input/trace_input.h"
#include "cli/output/terminal.h"
#include "target/process.h"
#include "trace/ask/logical_samples.h"
#include "trace/ask/logical_times.h"
#include "trace/ask/waits.h"
#include "trace/model/model.h"
#include "trace/read/ctf/tick_scale.h"

namespace skein::cli {

namespace {

// Nanoseconds of the trace; nothing: before it begins.
std::optional<uint64_t> time_of(const TickClock& clock, uint64_t counts) {
  const uint64_t ticks = counts >> format::kTickShift;
  if (ticks < clock.start) return {};
  return ctf::TickScale(clock.frequency).ns(ticks - clock.start);
}

void report_agreement(const Trace& trace, const JoinedSamples& joined,
                      const std::string& directory) {
  const Model model = build_model(trace, {.simplify = false});
  const Waits waits = find_waits(trace, model);
  const Subject subject{trace, model, waits};
  const LogicalTimes times = find_logical_times(subject);
  const LogicalSamples samples = find_logical_samples(subject, times, {});
  const uint64_t all = samples.in_tasks + samples.outside;
  report_message(counted(all, "sample") + " in the time of its trace " + escaped(directory) + ", " +
                 grouped(samples.in_tasks) + " of them in tasks" +
                 (joined.looked_up == 0 ? std::string()
                                        : "; " + grouped(joined.looked_up) +
                                              " have the task of the trace, as the thread had "
                                              "gone on before its own was read") +
                 (samples.other_tasks == 0
                      ? std::string()
                      : "; " + counted(samples.other_tasks, "sample names", "samples name") +
                            " another task than the trace"));
}

}  // namespace

void RecordedMeanwhile::look() {
  const Clock::time_point now = Clock::now();
  if (now < next_reading_) return;
  next_reading_ = now + std::chrono::milliseconds(100);
  ticks_.add(TickMap::read());
  if (!directory_.empty() || now < next_look_) return;
  next_look_ = now + until_next_look_;
  until_next_look_ = std::min(2 * until_next_look_, std::chrono::milliseconds(1000));
  const Result<std::unique_ptr<Target>> process = open_process(pid_);
  if (!process) return;
  const RecordedTrace trace = trace_of(**process, false);
  if (trace.is_here && trace.is_own) directory_ = trace.directory;
}

void RecordedMeanwhile::finish() {
  next_reading_ = next_look_ = {};
  look();
}

std::optional<MadeTrace> RecordedMeanwhile::with_samples(std::span<const uint8_t> bytes,
                                                         const std::string& path, Files& files,
                                                         const PerfOptions& options,
                                                         const ThreadNumbers& numbers) {
  if (directory_.empty()) return {};
  MadeTrace made{.trace = open_trace(directory_), .title = trace_name(directory_)};
  const TickClock& clock = made.trace.info.tick_clock;
  const bool is_counter = clock.source == "tsc";
  if (clock.frequency == 0 || (is_counter && !ticks_.has_counter())) {
    report_message(escaped(directory_) +
                   ": its clock is not this machine's; the page has samples only");
    return {};
  }
  report_losses(made.trace, directory_);
  add_stack_functions(made.trace);
  const auto time_of_trace = [&](uint64_t monotonic_ns) {
    return time_of(clock, is_counter ? ticks_.counter(monotonic_ns) : monotonic_ns);
  };
  const Result<JoinedSamples> joined =
      join_samples(bytes, path, files, options, pid_, time_of_trace, numbers, made.trace);
  if (!joined || joined->added == 0) return {};
  if (joined->outside != 0)
    report_message(counted(joined->outside, "sample") +
                   " left out: before its trace begins, or of other processes");
  report_agreement(made.trace, *joined, directory_);
  has_joined_ = true;
  return made;
}

}  // namespace skein::cli
