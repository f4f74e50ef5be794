// The event of a perf.data whose samples a trace shows.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "profile/perf/perf_file.h"

namespace skein {

// The index of the event with this name; of an empty one, the first with samples. Fails if it has
// none, or if its samples are waits instead of CPU time (--off-cpu).
Result<uint32_t> event_of_cpu_time(const PerfFile& file, const std::string& name,
                                   const std::string& path);

}  // namespace skein
