// Samples of the threads of a process from the kernel: perf_event_open(2), the software clock where
// the machine has no counters. Threads and processes that these start are sampled, too.
//
//   Result<PerfRings> rings = PerfRings::open(threads, {.frequency = 999});
//   rings->enable();
//   while (rings->wait(100)) rings->drain([&](std::span<const uint8_t> record) { use(record); });
//
// The kernel writes a ring for each processor, into which all events of that processor go. A ring
// for each thread, as one might expect, would lose the first milliseconds of each new thread: an
// event that children inherit cannot have a ring that is not of one processor (perf_mmap in Linux,
// kernel/events/core.c). Threads need threads * processors descriptors.
//
// A sample has the registers of the user's code, a copy of the top of the stack, and the kernel's
// call chain. Nothing stops but the thread, for the copy: see docs/performance.md.
//
// Records: profile/perf/perf_record.h. If this process dies, the kernel removes the events.
#pragma once

#include <linux/perf_event.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "profile/perf/perf_record.h"

namespace skein {

struct RingOptions {
  uint32_t frequency = 999;      // samples of a thread per second of CPU time
  uint32_t stack_bytes = 16384;  // copied of each stack; a multiple of 8, below 64 KiB
  bool off_cpu = false;          // each time that a thread leaves its CPU, instead of the clock
  bool starts_at_exec = false;   // of a process that waits to execute a program
  bool logical = true;           // logical stacks of coroutines, for which each sample is read at once
};

class PerfRings {
 public:
  // Fails without permission: perf_event_paranoid, seccomp, another user's process; and if a thread
  // needs more descriptors than there are. Threads that have ended are left out.
  static Result<PerfRings> open(std::span<const uint32_t> threads, const RingOptions& options);

  PerfRings(PerfRings&&) noexcept;
  PerfRings& operator=(PerfRings&&) noexcept;
  ~PerfRings();

  // The attribute of an event of the software clock with these options: what samples that were
  // taken in another way stand for.
  static perf_event_attr software_clock(const RingOptions& options);

  // Adds a thread that none of the others has started.
  Result<void> add(uint32_t thread);

  void enable();
  void disable();

  // Waits until a ring has data, or `extra` (a descriptor; -1: none) is ready, at most this long.
  // Returns true if `extra` is.
  bool wait(int milliseconds, int extra = -1);

  // Calls `use` for each record, ring after ring: their times are in order only within a ring. The
  // records are valid during the call.
  using Use = std::function<void(std::span<const uint8_t>)>;
  void drain(const Use& use);

  // Gives some events other intervals, so that they do not meet periodic work: to be called from time to
  // time.
  void change_periods();

  // A ring for itself, for threads that each read one. Calls of drain(), of any ring, must be made one
  // after the other; wait() for different rings need not.
  size_t rings() const { return rings_.size(); }
  int processor(size_t ring) const { return processors_[ring]; }
  void wait(size_t ring, int milliseconds);
  void drain(size_t ring, const Use& use);

  const perf_event_attr& attribute() const { return attribute_; }
  const PerfEvent& event() const { return event_; }
  bool has_kernel() const { return attribute_.exclude_kernel == 0; }
  // True: cycles, counted by the processor. False: the software clock.
  bool has_counters() const { return attribute_.type == PERF_TYPE_HARDWARE; }
  uint32_t stack_bytes() const { return attribute_.sample_stack_user; }

 private:
  struct Ring;
  PerfRings();
  int open_event(uint32_t thread, int processor);
  Result<void> choose_event(uint32_t thread);
  Result<void> choose_switches(uint32_t thread);
  bool counts_switches() const {
    return attribute_.type == PERF_TYPE_SOFTWARE &&
           attribute_.config == PERF_COUNT_SW_CONTEXT_SWITCHES;
  }
  Result<void> map_ring(size_t ring, int descriptor);
  perf_event_attr attribute_ = {};
  PerfEvent event_ = {};
  std::vector<int> processors_ = {};          // their numbers
  std::vector<std::unique_ptr<Ring>> rings_;  // of each processor
  std::vector<int> descriptors_ = {};         // of all events
  uint64_t random_ = 0;
  size_t next_period_ = 0;  // the event that gets another period
};

}  // namespace skein
