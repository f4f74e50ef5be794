// The trace that a process records while it is sampled, with the samples in it.
//
//   RecordedMeanwhile recorded(pid);
//   while (is_sampling) recorded.look();                       // from time to time
//   if (auto made = recorded.with_samples(bytes, path, files, options)) draw(made->trace);
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/file.h"
#include "cli/input/profile_input.h"
#include "profile/perf/sample_names.h"
#include "profile/sched/tick_map.h"
#include "profile/trace/joined_samples.h"

namespace skein::cli {

class RecordedMeanwhile {
 public:
  // Begins with a look.
  explicit RecordedMeanwhile(uint32_t pid) : pid_(pid) { look(); }

  // Compares the clocks of samples and traces, at most once in 0.1 s, and looks for the trace as
  // long as there is none, more and more rarely.
  void look();
  // The last one.
  void finish();

  // Nothing: it records no trace of this machine's clock, whose time samples have. Reports on
  // stderr how the samples agree with the trace. Throws CommandError(2) if the trace cannot be
  // read.
  std::optional<MadeTrace> with_samples(std::span<const uint8_t> bytes, const std::string& path,
                                        Files& files, const PerfOptions& options,
                                        const ThreadNumbers& numbers);
  // Whether with_samples() has returned a trace.
  bool has_joined() const { return has_joined_; }

 private:
  using Clock = std::chrono::steady_clock;

  uint32_t pid_ = 0;
  std::string directory_ = {};  // of the trace; empty: none
  bool has_joined_ = false;
  TickMap ticks_ = {};
  Clock::time_point next_reading_ = {}, next_look_ = {};
  std::chrono::milliseconds until_next_look_{100};
};

}  // namespace skein::cli
