// A profile (perf.data, of `skein profile` or perf) as a trace, for the commands that draw traces.
//
//   if (std::optional<MadeTrace> profile = open_profile_trace(path)) draw(profile->trace);
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "trace/read/trace.h"

namespace skein::cli {

// A trace that is no file of skein's, and how it is shown.
struct MadeTrace {
  Trace trace = {};
  std::string title = {};
  std::string note = {};  // what its pictures state
};

// False: this program was built without elfutils.
bool can_read_profiles();

// Nothing: `path` is no perf.data, or this program was built without elfutils. Reports on stderr
// what made names or stacks incomplete. Throws CommandError(2) if it has no samples of CPU time.
std::optional<MadeTrace> open_profile_trace(const std::string& path);

}  // namespace skein::cli
