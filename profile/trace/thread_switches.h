// The context switches of a perf.data as the states of threads in a trace, with the stacks of waits.
//
//   ThreadSwitches switches;
//   switches.add(record);                          // of types Switch and Exit, in order
//   if (switches.place(wait)) waits.push_back(wait);
//   for (const ThreadStateChange& change : switches.changes(waits)) use(change);
//
// A wait is a sample (--off-cpu) whose period is the time until the thread runs again. perf may write
// it at its end, or one for many waits: then its times are no switches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "profile/perf/perf_record.h"
#include "trace/read/thread_state.h"

namespace skein {

struct ThreadWait {
  uint32_t tid = 0;
  uint64_t begin = 0;
  uint64_t end = 0;
  uint32_t stack = 0;         // index into Trace::stacks
  bool is_preempted = false;  // set by place()
};

class ThreadSwitches {
 public:
  void add(const PerfRecord& record);
  bool empty() const { return switches_.empty(); }

  // Whether the thread left its CPU in the wait and got one at its end, or never again. Sets
  // is_preempted, and `begin` to the switch. O(log switches).
  bool place(ThreadWait& wait) const;

  // In the order of their times, which are those of the records. `waits`: placed. O(n log n).
  std::vector<ThreadStateChange> changes(const std::vector<ThreadWait>& waits) const;

 private:
  struct Switch {
    uint64_t time = 0;
    ThreadState to = ThreadState::Unknown;
    uint32_t cpu = 0;  // plus 1
  };
  std::map<uint32_t, std::vector<Switch>> switches_ = {};  // by thread
};

}  // namespace skein
