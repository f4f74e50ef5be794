// Where threads are not on a CPU: the stack of a thread from when it leaves its CPU, as a sample
// that stands for the time until it runs again.
//
//   away.leave(sample, chain, logical);                      // at PERF_COUNT_SW_CONTEXT_SWITCHES
//   away.end(tid, time, [&](const OffCpu::Wait& wait) { return write(wait); });  // at
//   PERF_RECORD_SWITCH away.end_all(now, use);
//
// Of each thread, calls must be in the order of time. Not thread-safe. O(log threads) each.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "profile/perf/logical_stacks.h"
#include "profile/perf/perf_record.h"

namespace skein {

class OffCpu {
 public:
  struct Wait {
    PerfRecord sample = {};             // without its stack; the period is the time in ns
    std::vector<uint64_t> chain = {};   // contexts and addresses
    LogicalSample logical = {};
    bool is_preempted = false;  // it could have gone on
  };
  using Use = std::function<bool(const Wait&)>;

  // A thread leaves its CPU. If it is away already, its return was lost: the first wait is dropped.
  void leave(const PerfRecord& sample, std::span<const uint64_t> chain, const LogicalSample& logical);
  bool is_away(uint32_t tid) const { return away_.contains(tid); }
  bool is_away_since(uint32_t tid, uint64_t time) const {
    const auto thread = away_.find(tid);
    return thread != away_.end() && thread->second.sample.time == time;
  }

  // Precondition: it is away.
  void set_logical(uint32_t tid, const LogicalSample& logical) { away_[tid].logical = logical; }

  // The thread could have gone on, but another one got its CPU.
  void preempt(uint32_t tid);
  // The thread runs again, or has ended, or it is not known to have left. A wait of 0 ns is none;
  // `use` returns false if this one is none either: it is not counted then.
  void end(uint32_t tid, uint64_t time, const Use& use);
  // At the end of the recording, all waits last until then.
  void end_all(uint64_t time, const Use& use);

  uint64_t preempted_ns() const { return preempted_ns_; }  // of those that have ended
  uint64_t total_ns() const { return total_ns_; }

 private:
  std::map<uint32_t, Wait> away_ = {};  // by thread
  uint64_t preempted_ns_ = 0, total_ns_ = 0;
};

}  // namespace skein
