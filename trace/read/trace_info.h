// What is known about a trace as a whole.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "trace/read/tick_clock.h"

namespace skein {

struct TraceInfo {
  std::string format;   // "mirage-profile", "skein"
  std::string carrier;  // what it lies in when that is another tool's format: "FXT"; else empty
  std::string clock;    // "tsc 2400000000 Hz", "nanoseconds"; for people
  uint64_t start = 0;   // the trace's own clock, in nanoseconds, at time 0
  // Add it to `start` + time to get nanoseconds since 1970 UTC; empty: the clock's zero is unknown.
  std::optional<int64_t> utc_offset = {};
  TickClock tick_clock = {};  // of our own format; frequency 0: of another
  uint64_t packets = 0;       // that were read, in all streams
  uint64_t streams = 0;
  // A ring forgets its oldest packets, each stream's at another time: how many are gone, and from
  // when on (as EventRow::time) every stream has all its events.
  uint64_t overwritten_packets = 0;
  uint64_t complete_from = 0;
  // How many events there are by the names the format itself uses, in the format's order; empty for
  // our own format, whose events are the model's.
  std::vector<std::pair<std::string, uint64_t>> wire_kinds;
  // Records that are no events but say what the numbers in events mean (texts, places), by name.
  std::vector<std::pair<std::string, uint64_t>> definitions;

  // Recorded by skein, or a copy of such a trace in another format.
  bool is_own() const { return format == "skein"; }
  // In a trace of mirage-profile a thread that stops does not say that it waits.
  bool records_waits() const { return format != "mirage-profile"; }
};

}  // namespace skein
