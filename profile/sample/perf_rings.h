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
// call chain. With both kinds of samples, they have identifiers of their events: is_wait(). Nothing
// stops but the thread, for the copy: see docs/performance.md.
//
// For logical stacks, a thread of this process runs behind each sample, on its processor. Woken by
// the sample, it needs a second interrupt: 11 us in a virtual machine, while that of the clock
// takes 13. So, where that is permitted, each processor has a clock (has_processor_clocks()), and
// the thread sleeps until the clock is due: the kernel takes the sample and wakes the thread in one
// interrupt. Such a clock samples whatever runs there, also threads of other processes.
//
// Records: profile/perf/perf_record.h. If this process dies, the kernel removes the events.
#pragma once

#include <linux/perf_event.h>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "profile/perf/perf_record.h"

namespace skein {

struct RingOptions {
  uint32_t frequency = 999;      // samples of a thread per second of CPU time
  uint32_t stack_bytes = 16384;  // copied of each stack; a multiple of 8, below 64 KiB
  bool on_cpu = true;            // by the clock, or cycles
  bool off_cpu = false;  // each time that a thread leaves its CPU, and records of its switches
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
  // records are valid during the call. A processor's clock may have fired twice for an interval:
  // only its first sample is given.
  using Use = std::function<void(std::span<const uint8_t>)>;
  void drain(const Use& use);

  // Gives some events other intervals, so that they do not meet periodic work: to be called from
  // time to time. Clocks of processors need no call.
  void change_periods();

  // A ring for itself, for threads that each read one. Calls of drain(), of any ring, must be made one
  // after the other; wait() for different rings need not.
  size_t rings() const { return rings_.size(); }
  int processor(size_t ring) const { return processors_[ring]; }
  // With clocks of processors: until the next sample, and from the thread that reads this ring.
  void wait(size_t ring, int milliseconds);
  void drain(size_t ring, const Use& use);
  // When a ring that was more than half full was drained last; 0: never. It may have lost records,
  // though none of events that are later.
  uint64_t last_crowded() const;

  // Samples are those of all threads that run on the processors: the caller leaves others out.
  bool has_processor_clocks() const { return records_.has_value(); }
  // With clocks of processors: whether each wait wakes the thread that reads its ring, or is read
  // together with the next sample. At first it does. Waits may be sampled twice now.
  // O(wait events * threads that inherited them), with an interrupt for each of these that runs.
  void wake_at_waits(bool wanted);
  size_t wait_events() const { return wait_events_.size(); }

  // Of RingOptions::on_cpu if it is set, else of off_cpu.
  const perf_event_attr& attribute() const { return attribute_; }
  // Of a sample: whether it was taken because the thread leaves its CPU.
  bool is_wait(std::span<const uint8_t> sample) const;
  const PerfEvent& event() const { return event_; }
  bool has_kernel() const { return attribute_.exclude_kernel == 0; }
  // True: cycles, counted by the processor. False: the software clock.
  bool has_counters() const { return attribute_.type == PERF_TYPE_HARDWARE; }
  uint32_t stack_bytes() const { return attribute_.sample_stack_user; }

 private:
  struct Ring;
  PerfRings();
  static int open_event(perf_event_attr& attribute, uint32_t thread, int processor);
  Result<void> choose_event(uint32_t thread);
  Result<void> choose_switches(uint32_t thread);
  void open_processor_clocks();
  uint64_t restart_clock(Ring& ring) const;
  bool is_repeated(std::span<const uint8_t> record, Ring& ring) const;
  Result<void> add_to_ring(size_t ring, int descriptor);
  Result<void> map_ring(size_t ring, int descriptor);
  perf_event_attr attribute_ = {};
  std::optional<perf_event_attr> switches_ = {};  // of the second event; nothing: there is only one
  std::optional<perf_event_attr> records_ = {};   // of threads, with clocks of processors
  std::optional<perf_event_attr> quiet_switches_ = {};  // the same, but wakes no one
  bool only_switches_ = false;
  PerfEvent event_ = {};
  std::vector<int> processors_ = {};          // their numbers
  std::vector<std::unique_ptr<Ring>> rings_;  // of each processor
  std::vector<int> descriptors_ = {};         // of all events
  std::vector<int> clocks_ = {};              // those of attribute_, unless it counts switches
  std::vector<uint64_t> wait_ids_ = {};       // of events of waits, sorted
  std::vector<std::array<int, 2>> wait_events_ = {};  // that which wakes, and the quiet one
  bool wakes_at_waits_ = true;
  uint64_t random_ = 0;
  size_t next_period_ = 0;  // the event that gets another period
};

}  // namespace skein
