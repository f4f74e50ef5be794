// A signal handler calls fork() after it interrupted the recorder in the middle of an event. The
// child completes the event and continues, and writes nothing to the parent's trace.
#include <signal.h>
#include <sys/time.h>

#include "tests/recorder/check.h"
#include "tests/recorder/numbered.h"
#include "tests/recorder/scratch.h"

namespace {

using namespace skein::test;

constexpr unsigned kChildren = 200;
pid_t children[kChildren];
volatile sig_atomic_t made = 0;
volatile sig_atomic_t is_child = 0;

void fork_now(int) {
  if (static_cast<unsigned>(made) == kChildren || is_child != 0) return;
  const pid_t child = fork();
  if (child == 0) {
    is_child = 1;
  } else if (child > 0) {
    children[made] = child;
    made = made + 1;
  }
}

void fork_while_recording(const std::string& directory, Start how) {
  SKEIN_CHECK(start_trace_at(directory, how) == 0, "%s", directory.c_str());
  struct sigaction action = {};
  action.sa_handler = fork_now;
  action.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &action, nullptr);
  made = 0;
  const itimerval timer = {{0, 300}, {0, 300}};
  setitimer(ITIMER_REAL, &timer, nullptr);
  NumberedCalls calls(1);
  uint64_t n = 0;
  while (static_cast<unsigned>(made) < kChildren) {
    calls.make(++n);
    if (is_child == 0) continue;
    // The interrupted call has returned; make more calls, then exit.
    for (unsigned i = 0; i < 100; ++i) calls.make(++n);
    _exit(0);
  }
  setitimer(ITIMER_REAL, nullptr, nullptr);
  calls.make(++n);
  skein_stop();

  unsigned bad = 0;
  int example = 0;
  for (const pid_t child : children) {
    int status = 0;
    if (waitpid(child, &status, 0) == child && status == 0) continue;
    ++bad;
    example = status;
  }
  SKEIN_CHECK(bad == 0, "%u of %u children ended badly, one of them with %d", bad, kChildren,
              example);
  const Trace trace = read_good_trace(directory);
  uint64_t last = 0;
  for (const Stream& stream : trace.streams) {
    const Run run = find_run(stream.events(), 1);
    SKEIN_CHECK(run.problem.empty(), "%s", run.problem.c_str());
    if (run.last > last) last = run.last;
  }
  SKEIN_CHECK(last == n, "newest %llu of %llu", static_cast<unsigned long long>(last),
              static_cast<unsigned long long>(n));
}

}  // namespace

int main() {
  const Scratch scratch("fork-in-handler");
  if (!fork_wipes_pages()) {
    skip("fork does not clear pages here");
    return verdict();
  }
  // A process for each mode, so that the traces are independent.
  for (const bool log : {false, true}) {
    const int status = in_child([&] {
      fork_while_recording(scratch / (log ? "log" : "ring"), {.size = 64 << 10, .log = log});
    });
    SKEIN_CHECK(status == 0, "%s: status %d", log ? "log" : "ring", status);
  }
  return verdict();
}
