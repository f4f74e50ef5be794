// Samples the call stacks of a process while it runs, and of the threads and processes that it
// starts, and writes them as perf.data.
//
//   Result<Sampler> sampler = Sampler::attach(pid, path, {.frequency = 999});
//   while (!is_over) sampler->work(100);
//   if (Result<void> done = sampler->finish(); !done) return done.error();
//   print(sampler->counts().unwound.text("use --stack-size 65528"));
//
// With RingOptions::off_cpu, a sample is taken where a thread leaves its CPU, and written when it
// runs again: its period is the time in between, in ns. Threads that wait all the time are read
// from /proc, their coroutines once at the end. This needs permission to count in the kernel. With
// samples of CPU time as well, the file has two events, and the records of context switches.
//
// Reading logical stacks preempts threads (profile/sample/coroutine_chains.h): such times are no
// waits of the program, and left out.
//
// Where perf_event_open(2) is not permitted, threads are stopped for each sample (ptrace(2)):
// profile/sample/stopping_sampler.h. The kernel's functions, and processes that this one starts,
// are missing then.
//
// Stacks are unwound at once, with the files that the process has mapped, also deleted ones and
// those of a container: the copies of stacks, 16 MB a second, are not written. Nothing is written
// into the process: profile/sample/perf_rings.h.
//
// Not thread-safe. The thread that calls begins to run before others (nice -10), where that is
// permitted.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "base/result.h"
#include "profile/perf/image_files.h"
#include "profile/sample/coroutine_chains.h"
#include "profile/sample/perf_rings.h"
#include "profile/sample/process_tasks.h"

namespace skein {

class Sampler {
 public:
  struct Counts {
    uint64_t samples = 0;  // of CPU time
    uint64_t in_others = 0;  // of these, in processes that the first one has started
    uint64_t waits = 0;    // RingOptions::off_cpu
    uint64_t unread = 0;   // of these, in coroutines, that ended before they were read
    uint64_t at_end = 0;   // of these, of the whole profile, whose chains were read at its end
    uint64_t lost = 0;  // records that the kernel had no room for
    UnwindCounts unwound = {};
    CoroutineChains::Counts coroutines = {};
    ProcessTasks::Counts tasks = {};
    uint64_t off_cpu_ns = 0, preempted_ns = 0;  // of the waits; the second is a part
    uint64_t cpu_ns = 0;      // used by the process, without those that it has started
    uint64_t sampled_ns = 0;  // if threads are stopped: the part that samples stand for
    uint64_t profiler_ns = 0;  // CPU time of this process, without that of reading symbols
    uint64_t own_ns = 0;                        // for which threads were preempted to be read
  };

  // Begins to sample a process that runs. Fails for the number of another thread than its first.
  static Result<Sampler> attach(uint32_t pid, const std::string& path, const RingOptions& options);
  // Samples a child of this process from its execve() on, which it must not have called yet.
  static Result<Sampler> start(uint32_t pid, const std::string& path, const RingOptions& options);

  Sampler(Sampler&&) noexcept;
  Sampler& operator=(Sampler&&) noexcept;
  ~Sampler();

  // Waits for samples, or until `extra` (a descriptor; -1: none) is ready, at most this long, and
  // writes those that are complete. Returns true if `extra` is ready.
  bool work(int milliseconds, int extra = -1);

  // Takes no more samples, and writes the rest. Fails if the file could not be written.
  Result<void> finish();

  const Counts& counts() const;
  // False: the kernel's part of the stacks is missing, as it was not permitted.
  bool has_kernel() const;
  // Why threads are stopped for each sample; empty: they are not.
  const std::string& why_stopping() const;
  // How long threads stood still for a sample, in ns: the median; 0: they were not stopped.
  uint32_t median_pause() const;

  // ProcessTasks::numbers(). Valid as long as this object.
  const std::map<uint32_t, uint32_t>& thread_numbers() const;

  // Opens the files that the processes had mapped, as fold_perf_data() needs it, even if the
  // processes have ended. Valid as long as this object.
  ImageFiles::Open open_files() const;

 private:
  struct State;
  explicit Sampler(std::unique_ptr<State> state);
  static Result<Sampler> begin(uint32_t pid, const std::string& path, const RingOptions& options);
  std::unique_ptr<State> state_;
};

}  // namespace skein
