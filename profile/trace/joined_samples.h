// The samples of a profile in the trace that the sampled process recorded at the same time: so that
// flame graphs have the tasks of the trace, and pictures of it show samples.
//
//   Result<JoinedSamples> joined = join_samples(bytes, path, files, {}, pid, time_of_trace, trace);
//
// A sample event has the stack, with the names of functions, and the task that the recorder had as
// the thread's current one when it was taken (profile/sample/process_tasks.h); of a thread that had
// gone on, the one that ran then according to the trace. Analyses compare both.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "base/file.h"
#include "base/result.h"
#include "profile/perf/sample_names.h"
#include "trace/read/trace.h"

namespace skein {

struct JoinedSamples {
  uint64_t added = 0;
  uint64_t outside = 0;    // before the trace begins, or of other processes: left out
  uint64_t looked_up = 0;  // whose task is the trace's
};

// Calls are in the order of time. Nothing: before the trace begins.
using TimeOfTrace = std::function<std::optional<uint64_t>(uint64_t monotonic_ns)>;

// `pid`: of the process that recorded `trace`. Threads that have recorded nothing get an executor.
// Fails as trace_of_profile() does; then the trace is unchanged. O(events + samples log samples).
Result<JoinedSamples> join_samples(std::span<const uint8_t> bytes, const std::string& path,
                                   Files& files, const PerfOptions& options, uint32_t pid,
                                   const TimeOfTrace& time_of_trace, Trace& trace);

}  // namespace skein
