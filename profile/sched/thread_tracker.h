// From the kernel's records to the states of one process's threads, in the order of time.
//
//   ThreadTracker tracker(pid);
//   tracker.add(record);                                  // in any order, of any process
//   tracker.take_until(time, [&](const SchedChange& change) { write(change); });
//
// Records of several processors come in turns, each for a while. `take_until` therefore needs a
// time before which all records have been added.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "profile/sched/sched_record.h"
#include "trace/read/thread_state.h"

namespace skein {

// As ThreadStateChange, of CLOCK_MONOTONIC.
struct SchedChange {
  uint64_t time = 0;
  uint32_t tid = 0;
  ThreadState state = ThreadState::Unknown;
  uint32_t other = 0;
  uint32_t cpu = 0;
  std::string text = {};
};

class ThreadTracker {
 public:
  // Returns the name of a thread of any process; empty: unknown. Called once for each that ran
  // instead of the program and whose name no record has.
  using FindName = std::function<std::string(uint32_t tid)>;

  ThreadTracker(uint32_t pid, std::vector<uint64_t> threads, FindName find_name);

  void add(const SchedRecord& record);

  // Changes have ascending times. Each record is used once.
  void take_until(uint64_t time, const std::function<void(const SchedChange&)>& use);

  // Threads that have blocked since the last call and are still blocked, at most `most`.
  std::vector<uint32_t> newly_blocked(size_t most);

  uint64_t lost() const { return lost_; }          // records that the kernel dropped
  uint64_t switches() const { return switches_; }  // on a CPU or off, of the program
  size_t threads() const { return threads_.size(); }

 private:
  struct Record {
    SchedRecord record;
    std::string name;
  };
  struct Thread {
    ThreadState state = ThreadState::Unknown;
    uint64_t since = 0;
    bool is_named = false;  // the kernel's function was looked for
  };
  const std::string& name(uint32_t tid);
  void use_record(const Record& next, const std::function<void(const SchedChange&)>& use);

  uint32_t pid_;
  FindName find_name_;
  std::vector<Record> pending_;
  std::unordered_map<uint32_t, Thread> threads_;     // of the program
  std::unordered_map<uint32_t, std::string> names_;  // of any
  std::vector<uint32_t> blocked_;
  uint64_t last_time_ = 0;
  uint64_t lost_ = 0;
  uint64_t switches_ = 0;
};

}  // namespace skein
