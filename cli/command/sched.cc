// skein sched [-T SECONDS] PID
//
// Adds what the kernel does with the threads of a process to the trace that it records.
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/escape.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/die.h"
#include "cli/input/running.h"
#include "cli/output/sched_thread.h"
#include "cli/output/terminal.h"

namespace skein::cli {
namespace {

volatile sig_atomic_t is_sched_ended = 0;
void end_sched(int) { is_sched_ended = 1; }

bool has_ended(int process) {
  pollfd end = {.fd = process, .events = POLLIN, .revents = 0};
  return process < 0 || (poll(&end, 1, 0) > 0 && end.revents != 0);
}

}  // namespace

int run_sched(const SchedOptions& options) {
  const std::string directory = trace_of_process(options.process);
  const auto pid = static_cast<uint32_t>(std::strtoul(options.process.c_str(), nullptr, 10));
  Result<SchedRecorder> recorder = SchedRecorder::start(pid);
  if (!recorder) die(1, "process " + options.process + ": " + recorder.error().message());
  struct sigaction action = {};
  action.sa_handler = end_sched;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaction(signal, &action, nullptr);
  const auto process = static_cast<int>(syscall(SYS_pidfd_open, static_cast<pid_t>(pid), 0));
  const auto begin = std::chrono::steady_clock::now();
  constexpr int interval_ms = 100;
  while (is_sched_ended == 0 && !has_ended(process)) {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
    if (options.seconds > 0 && passed.count() >= options.seconds) break;
    recorder->work(directory, interval_ms);
  }
  if (process >= 0) close(process);
  const Result<void> finished = recorder->finish(directory);
  if (!finished) die(1, finished.error().message());
  report_message(counted(recorder->switches(), "context switch", "context switches") + " of " +
                 counted(recorder->threads(), "thread") + " written to " + escaped(directory));
  report_sched(*recorder);
  return 0;
}

}  // namespace skein::cli
