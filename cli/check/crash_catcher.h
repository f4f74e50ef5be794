// Stops a test in the moment in which a signal such as SIGSEGV is about to end it, so that its
// memory and the stacks of its threads can still be read.
//
//   CrashCatcher catcher;
//   if (const int error = catcher.follow(test)) ...      before the test executes its program
//   // In a loop: pid = waitpid(-1, &status, WNOHANG | __WALL)
//   if (WIFSTOPPED(status)) catcher.handle_stop(pid, status);
//   if (catcher.has_crash()) ...                         wait until has_stopped(), read, let_end()
//
// It follows the threads of the test by ptrace(2), which costs a test some 20 us for each thread
// that it creates and each signal that it receives. While it is followed, no debugger can attach to
// the test, and LeakSanitizer fails. The children of the test are not followed: a child that
// crashes may be what the test expects.
//
// Then it is followed no more and stopped like by SIGSTOP: what else reads it may use ptrace. A
// signal that the test handles is not caught. All calls must be made by the parent's one thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

namespace skein::cli {

class CrashCatcher {
 public:
  // Returns 0, or errno: then nothing is caught.
  int follow(pid_t test);
  bool follows() const { return test_ != 0; }

  // Of what waitpid() has returned: a stop of a thread.
  void handle_stop(pid_t thread, int status);

  bool has_crash() const { return signal_ != 0; }
  int signal() const { return signal_; }    // that is about to end it
  pid_t thread() const { return thread_; }  // that has caused or received it
  // Whether all threads of the test stand still.
  bool has_stopped();
  // Delivers the signal after all. The test ends by it, perhaps with a core file.
  void let_end();

 private:
  char thread_state(uint64_t thread) const;
  void release_held();

  pid_t test_ = 0;
  pid_t thread_ = 0;
  int signal_ = 0;
  std::vector<pid_t> held_ = {};  // threads that have stopped after the crash
};

// Whether the default action of a signal is to end a program with a core, apart from SIGQUIT, by
// which users end programs.
bool is_crash(int signal);

}  // namespace skein::cli
