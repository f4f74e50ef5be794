// A thread of this command that adds what the kernel does with a program's threads to its trace.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>

#include "profile/sched/sched_recorder.h"

namespace skein::cli {

class SchedThread {
 public:
  // Reports on stderr if the kernel refuses, or refuses a part: the program is recorded all the
  // same.
  SchedThread(uint32_t pid, std::string directory);
  ~SchedThread();

  // Writes the rest and reports losses. Call once.
  void finish();

 private:
  void stop();

  std::string directory_;
  std::optional<SchedRecorder> recorder_ = {};
  std::atomic<bool> ends_ = false;
  std::thread thread_ = {};
};

// What a recorder could not record, and how to change that.
void report_sched(const SchedRecorder& recorder);

}  // namespace skein::cli
