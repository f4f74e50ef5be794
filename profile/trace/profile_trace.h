// The samples of a perf.data as a trace, so that the commands that draw and search traces accept a
// profile: an executor for each thread, a sample event with its physical stack for each sample, and
// tasks for the coroutines of logical stacks (sampled_tasks.h).
//
//   Result<ProfileTrace> profile = trace_of_profile(bytes, path, files, {});
//   draw(profile->trace, profile->note);
//
// Context switches (`skein profile --off-cpu`, perf record --switch-events) are the states of its
// threads, and waits have stacks.
//
// The trace's format is sampled_format (TraceInfo::is_sampled): analyses conclude nothing from what
// it does not contain. Its times begin a period before the first sample. A frame has the name of
// its function, and no address.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "profile/perf/sample_names.h"
#include "trace/read/trace.h"

namespace skein {

struct ProfileTrace {
  Trace trace = {};
  uint64_t samples = 0;                   // of CPU time
  uint64_t waits = 0;                     // with a stack
  uint64_t unplaced_waits = 0;            // left out: without context switches
  uint64_t period = 0;                    // ns between two samples of a thread that runs
  std::vector<std::string> remarks = {};  // for the user, a sentence each
  std::string note = {};                  // what pictures of it state
};

// Samples of threads that were about to end and have no number, -1, are left out, with a remark.
//
// Fails if `bytes` are no perf.data, or have no samples, or only waits without context switches.
// Takes as long as folding, and O(samples log samples).
Result<ProfileTrace> trace_of_profile(std::span<const uint8_t> bytes, const std::string& path,
                                      Files& files, const PerfOptions& options);

}  // namespace skein
