// Stops all threads of a process for a moment, by ptrace(2), and reads their registers.
//
//   Result<StoppedThreads> stopped = StoppedThreads::stop(4711);
//   if (!stopped) return stopped.error();
//   use(stopped->registers(thread_id));
//   const int64_t pause = stopped->resume();  // ns
//
// If this process dies, the kernel lets the other one go on. A call that sleeps in the
// kernel is interrupted: it goes on afterwards, but epoll_wait() and a few others return EINTR
// (signal(7), "Interruption of system calls by stop signals").
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.h"
#include "target/target.h"

namespace skein {

class StoppedThreads {
 public:
  // Fails without permission, and if another program traces the process. A thread that does not
  // leave the kernel within a second is not waited for. All calls must be made by one thread.
  static Result<StoppedThreads> stop(uint64_t pid);
  StoppedThreads(StoppedThreads&&) noexcept = default;
  StoppedThreads& operator=(StoppedThreads&&) = delete;
  ~StoppedThreads() { resume(); }

  struct Stop {
    Registers registers = {};             // none: the thread is not stopped
    std::optional<KernelCall> call = {};  // in which it waited, and which the stop has interrupted
    bool is_by_signal = false;            // its process was stopped before, by SIGSTOP or the like
  };
  Stop at(uint64_t thread) const;  // O(log threads)
  Registers registers(uint64_t thread) const { return at(thread).registers; }
  // Of all threads that were there, ascending.
  std::vector<uint64_t> ids() const;

  // Lets the process go on and returns how long it has stood still, in ns. Later calls return the
  // same.
  int64_t resume();

 private:
  struct Thread {
    pid_t id = 0;
    bool is_stopped = false;
    bool is_by_signal = false;
    int signal = 0;  // to be delivered when it goes on
  };

  explicit StoppedThreads(int64_t began) : began_(began) {}
  bool attach_new(uint64_t pid, int& error);
  void wait_for_stops();
  static bool has_changed(Thread& thread);
  static bool has_lower_id(const Thread& a, const Thread& b) { return a.id < b.id; }

  std::vector<Thread> threads_ = {};  // by id
  int64_t began_ = 0;
  int64_t pause_ = 0;
};

}  // namespace skein
