// Adds what the kernel does with a process's threads to the trace that the process records.
//
//   Result<SchedRecorder> recorder = SchedRecorder::start(pid);
//   while (runs) recorder->work("server.skein", 100);
//   recorder->finish();
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "profile/sched/sched_events.h"
#include "profile/sched/sched_writer.h"
#include "profile/sched/thread_tracker.h"
#include "profile/sched/tick_map.h"

namespace skein {

class SchedRecorder {
 public:
  // Fails without permission, or if there is no such process.
  static Result<SchedRecorder> start(uint32_t pid);

  // Waits at most this long and writes what has happened. `directory`: of the trace; while there
  // is none, changes stay in memory, the newest million.
  void work(const std::string& directory, int milliseconds);

  // Writes the rest. Fails if something could not be written, or if there was no trace.
  Result<void> finish(const std::string& directory);

  uint64_t switches() const { return tracker_.switches(); }
  uint64_t lost() const { return tracker_.lost() + dropped_; }
  size_t threads() const { return tracker_.threads(); }
  std::vector<std::string> missing() const { return events_.missing(); }

 private:
  SchedRecorder(uint32_t pid, SchedEvents events);
  void look_for_functions();
  void take(uint64_t until, const std::string& directory);
  void write_changes(const std::string& directory);

  uint32_t pid_;
  SchedEvents events_;
  ThreadTracker tracker_;
  TickMap ticks_;
  std::vector<SchedChange> changes_ = {};  // not yet written
  std::optional<SchedWriter> writer_ = {};
  std::optional<Error> error_ = {};  // why there is no writer
  uint64_t dropped_ = 0;             // of changes_
};

}  // namespace skein
