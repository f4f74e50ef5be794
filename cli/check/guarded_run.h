// Runs one test in a process that it forks for it, the guard.
//
//   this process  ->  guard  ->  the test  ->  its children
//
// The guard is the parent of the test and adopts its orphans, so that it may read their memory, and
// can kill all of them: after the timeout, if this process ends in whatever way, or on request. If
// the guard itself is killed, the kernel kills the test. The test keeps this process's group,
// session, terminal, signal mask and ignored signals.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <cstdint>
#include <string>

#include "cli/check/test.h"

namespace skein::cli {

struct TestRun {
  Test test = {};
  double timeout = 0;       // ns of the wall clock
  std::string folder = {};  // exists; for what the run leaves
  // If we are killed, the guard removes the folder, and its parent if that is empty.
  bool is_temporary = false;
  bool captures = false;   // what it prints goes to output_file(folder), else to where ours goes
  std::string trace = {};  // SKEIN_TRACE; empty: not set
  bool catches_crashes = false;  // CrashCatcher
};

std::string output_file(const std::string& folder);
std::string report_file(const std::string& folder);  // why it hangs, or where it crashed
std::string trace_directory_of(const std::string& folder);

// How a run ended.
struct RunEnd {
  enum class Kind : uint8_t { Ended, TimedOut, NotStarted, Interrupted, Lost };
  static constexpr size_t none = ~size_t{0};
  Kind kind = Kind::Lost;   // Lost: the guard was killed
  int status = 0;           // Ended: as waitpid() returns it
  int reason = 0;           // NotStarted: errno
  bool not_folder = false;  // ... of chdir(), not of exec
  size_t missing_file = none;  // ... or this one of the test's required files
  size_t match = none;      // TimedOut: after a line of its output matched this one of its patterns
  uint64_t ns = 0;          // until then
  bool has_stacks = false;  // Ended by a signal: and its report has the stacks
  uint64_t line = 0;        // where it hangs or crashed; 0: unknown
  char file[3900] = {};
};

class RunningTest {
 public:
  // Forks the guard. `mask` is the signal mask of the test. Throws CommandError(1) if that fails.
  // The caller must have no other threads.
  RunningTest(const TestRun& run, const sigset_t& mask);
  RunningTest(RunningTest&& other) noexcept;
  RunningTest& operator=(RunningTest&&) = delete;
  ~RunningTest();  // kills it, if it runs

  // Becomes readable when the test has ended; then end() does not block.
  int descriptor() const { return descriptor_; }
  RunEnd end();

  // Sends the signal to the test, unless `has_received_it`. After SIGINT, SIGTERM, SIGHUP and
  // SIGQUIT the guard kills what has not ended after two seconds (Interrupted).
  void send(int signal, bool has_received_it) const;

 private:
  pid_t guard_ = 0;
  int descriptor_ = -1;
};

}  // namespace skein::cli
