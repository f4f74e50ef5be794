// The samples of a profile in the trace that the sampled process recorded at the same time: so that
// flame graphs have the tasks of the trace, and pictures of it show samples.
//
//   Result<JoinedSamples> joined = join_samples(bytes, path, files, {}, pid, time_of_trace, trace);
//
// Context switches, and waits of threads with their stacks (`skein profile --off-cpu`) are states
// of the threads, unless the trace has the kernel's own (`skein record --sched`).
//
// A sample event has the stack, with the names of functions, and the task that the recorder had as
// the thread's current one when it was taken (profile/sample/process_tasks.h); of a thread that had
// gone on, the one that ran then according to the trace. Analyses compare both.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
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

// Numbers of threads in the trace, by those of samples, where they differ: of a process in a pid
// namespace.
using ThreadNumbers = std::map<uint32_t, uint32_t>;

// `pid`: of the process that recorded `trace`, as samples have it. Threads that have recorded
// nothing get an executor. Fails as trace_of_profile() does; then the trace is unchanged. O(events
// + samples log samples).
Result<JoinedSamples> join_samples(std::span<const uint8_t> bytes, const std::string& path,
                                   Files& files, const PerfOptions& options, uint32_t pid,
                                   const TimeOfTrace& time_of_trace, const ThreadNumbers& numbers,
                                   Trace& trace);

}  // namespace skein
