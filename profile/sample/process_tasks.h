// The recorder's task of a sample that is taken from outside: of processes that record, as long as
// their threads stand still.
//
//   ProcessTasks tasks;
//   if (const auto task = tasks.of(sample)) print(*task);   // as soon as it is taken
//
// The recorder numbers threads as its pid namespace does, samples as that of this process.
//
// Calls must be made one after the other, with a mutex.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>

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

  // The thread has ended: its number may be used again.
  void forget(uint32_t tid) { known_.erase(tid); }
  // Of the threads of processes that record: the number in the innermost namespace, by that of
  // samples.
  const std::map<uint32_t, uint32_t>& numbers() const { return numbers_; }

 private:
  struct Process {
    std::unique_ptr<Target> memory = {};
    std::optional<CurrentTasks> tasks = {};
    uint64_t next_look = 0;  // ns
  };
  void look(uint32_t pid, Process& process);
  uint32_t number_of(uint32_t pid, uint32_t tid);

  std::set<uint32_t> known_ = {};  // threads whose entry in numbers_ is right
  std::map<uint32_t, uint32_t> numbers_ = {};
  std::map<uint32_t, Process> processes_ = {};
  Counts counts_ = {};
};

}  // namespace skein
