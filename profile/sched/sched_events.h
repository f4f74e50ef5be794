// Context switches of a process's threads, from the kernel: perf_event_open(2), no eBPF.
//
//   Result<SchedEvents> events = SchedEvents::open(pid);
//   while (...) {
//     events->wait(100);
//     events->drain([&](const SchedRecord& record) { use(record); });
//   }
//
// There are two ways. With CAP_PERFMON (or kernel.perf_event_paranoid at 0 or less) an event of
// each processor reports all switches, with the thread that runs next; where tracefs is readable
// as well, sched_waking reports when a thread is woken. Without, each thread has its own events,
// which new threads inherit; they report its switches only.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "profile/sched/sched_record.h"
#include "target/perf_ring.h"

namespace skein {

class SchedEvents {
 public:
  // Of all threads of the process and those that they start. Fails without permission.
  static Result<SchedEvents> open(uint32_t pid);

  SchedEvents(SchedEvents&& other) noexcept { *this = std::move(other); }
  SchedEvents& operator=(SchedEvents&& other) noexcept;
  ~SchedEvents();

  bool has_others() const { return is_wide_; }      // the threads that ran instead
  bool has_wakeups() const { return has_waking_; }  // Kind::Woken
  // What is missing and what permits it; empty: nothing. A sentence each.
  std::vector<std::string> missing() const;

  // Until a ring is half full, at most this long.
  void wait(int milliseconds);

  // Calls `use` for each record, also of other processes, processor after processor: times are in
  // order only within one. Kind::Lost has the time of the last record before the gap.
  void drain(const std::function<void(const SchedRecord&)>& use);

 private:
  SchedEvents() = default;
  int open_switches(int pid, int processor);
  bool open_wide(const std::vector<int>& processors);
  Result<void> open_threads(uint32_t pid, const std::vector<int>& processors);
  void open_waking(const std::vector<int>& processors);
  Result<void> add(size_t processor, int descriptor);

  struct Ring {
    size_t processor;  // an index
    PerfRing ring;
    uint64_t last_time = 0;
  };
  std::vector<Ring> rings_;
  std::vector<int> descriptors_;
  WakingLayout waking_;
  bool is_wide_ = false;
  bool has_waking_ = false;
};

}  // namespace skein
