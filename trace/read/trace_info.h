// Properties of a whole trace.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trace/read/tick_clock.h"

namespace skein {

// TraceInfo::format of a trace that is made from the samples of a profile.
inline constexpr std::string_view sampled_format = "profile";

struct TraceInfo {
  std::string format;   // "mirage-profile", "skein"
  std::string carrier;  // another tool's format that contains it: "FXT"; empty: none
  std::string clock;    // "tsc 2400000000 Hz", "nanoseconds"; for display only
  uint64_t start = 0;   // the trace's own clock at time 0, in nanoseconds
  // Nanoseconds since 1970 UTC = `start` + time + this; empty: the clock's zero is unknown.
  std::optional<int64_t> utc_offset = {};
  TickClock tick_clock = {};  // of skein's own format; frequency 0: another format
  uint64_t packets = 0;       // packets read, in all streams
  uint64_t streams = 0;
  // When the process ended, as EventRow::time; 0: unknown, or it runs. After the last event of a
  // process that hung.
  uint64_t ended = 0;
  // The last time, as EventRow::time, at which one thread of the process waited in its event loop,
  // and all others for that one; 0: unknown.
  uint64_t alone = 0;
  // The last time, as EventRow::time, at which all threads of the process waited for each other,
  // without a timeout; 0: unknown.
  uint64_t asleep = 0;
  // How long the process had been running when the trace began, ns. The trace does not contain the
  // tasks that existed then, except those that have acted since. 0: none existed, or unknown.
  uint64_t late = 0;
  // Samples per second of CPU time, the last rate at which threads were sampled; 0: they were not,
  // or it is unknown. And how many periods passed without a sample: in the kernel, or while the
  // signal was blocked.
  uint64_t sample_rate = 0;
  uint64_t missed_samples = 0;
  // A ring overwrites its oldest packets, in each stream at a different time: the number of
  // overwritten packets, and the time (as EventRow::time) from which every stream has all its
  // events.
  uint64_t overwritten_packets = 0;
  uint64_t complete_from = 0;
  // The streams whose oldest packets were overwritten, as far as the format tells.
  struct Ring {
    uint32_t stream = 0;
    uint64_t bytes = 0;  // of its events
    uint64_t from = 0;   // EventRow::time from which it has all its events
  };
  std::vector<Ring> rings;
  uint64_t bytes = 0;   // of the events of all streams; 0: unknown
  uint64_t before = 0;  // of time 0, when a ring was started, ns; 0: unknown
  // Number of events per name in the format, in the format's order; empty for skein's own format,
  // whose events are those of the model.
  std::vector<std::pair<std::string, uint64_t>> wire_kinds;
  // Number of definition records (strings, locations) per name.
  std::vector<std::pair<std::string, uint64_t>> definitions;

  // Whether skein recorded the trace, or it is a copy of such a trace in another format.
  bool is_own() const { return format == "skein"; }
  // From samples of a profile: what ran between two samples, and what woke a task, is not known. So
  // no analysis can conclude anything from an event that is missing.
  bool is_sampled() const { return format == sampled_format; }
  // In a mirage-profile trace, a thread that stops does not record that it waits.
  bool records_waits() const { return format != "mirage-profile"; }
};

}  // namespace skein
