// The recorder's task of a sample that is taken from outside: of processes that record, as long as
// their threads stand still.
//
//   ProcessTasks tasks;
//   if (const auto task = tasks.of(sample)) print(*task);   // as soon as it is taken
//
// Calls must be made one after the other, with a mutex.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>

#include "profile/perf/perf_record.h"
#include "profile/sample/current_tasks.h"
#include "target/target.h"

namespace skein {

class ProcessTasks {
 public:
  struct Counts {
    uint64_t known = 0;  // samples, also those outside of any task
    uint64_t late = 0;   // of processes that record; their threads had gone on
  };

  // 0: no task. Nothing: the process does not record, the thread has recorded nothing, or it has
  // gone on since. A system call, 1 us. Whether a process records is looked up once in a second.
  std::optional<uint64_t> of(const PerfRecord& sample);

  const Counts& counts() const { return counts_; }

 private:
  struct Process {
    std::unique_ptr<Target> memory = {};
    std::optional<CurrentTasks> tasks = {};
    uint64_t next_look = 0;  // ns
  };
  void look(uint32_t pid, Process& process);

  std::map<uint32_t, Process> processes_ = {};
  Counts counts_ = {};
};

}  // namespace skein
