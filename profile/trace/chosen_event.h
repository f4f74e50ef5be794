// The events of a perf.data whose samples a trace shows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "profile/perf/perf_file.h"

namespace skein {

// Indices; at least one exists.
struct ShownEvents {
  std::optional<uint32_t> cpu_time = {};
  std::optional<uint32_t> waits = {};  // of threads: what --off-cpu adds
  bool operator==(const ShownEvents&) const = default;
};

// The event with this name; of an empty one, the first of each kind that has samples. Waits are
// shown in a file with context switches only, which have their times. Fails if there is no such
// event.
Result<ShownEvents> shown_events(const PerfFile& file, const std::string& name,
                                 const std::string& path);

}  // namespace skein
