// Which task ran on a thread at a time: the running intervals of logical times, by thread.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/ask/logical_times.h"

namespace skein {

class ThreadRuns {
 public:
  // Of the same trace. Both must outlive it. O(intervals * log intervals).
  ThreadRuns(const Trace& trace, const LogicalTimes& times);

  // By executor. Several may be one thread: that of its signal handlers that interrupt the recorder
  // has the samples of some runs, and the other one their tasks.
  const std::vector<uint32_t>& thread_of() const { return thread_of_; }
  // By thread: its first executor, or the one that runs tasks.
  const std::vector<uint32_t>& executors() const { return executors_; }

  // The run at this time; null: none. Of each thread in the order of time.
  const LogicalTimes::Interval* at(uint32_t executor, uint64_t time);

 private:
  struct Thread {
    std::vector<uint32_t> runs = {};  // of the intervals, in order
    size_t next = 0;
  };

  void join_executors(const Trace& trace);

  const LogicalTimes& times_;
  std::vector<uint32_t> thread_of_ = {};
  std::vector<uint32_t> executors_ = {};
  std::vector<Thread> threads_ = {};
};

}  // namespace skein
