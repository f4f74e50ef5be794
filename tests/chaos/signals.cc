// Scenarios of signals and timers.
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csetjmp>
#include <csignal>
#include <cstring>
#include <ctime>
#include <thread>

#include "tests/chaos/scenario.h"

namespace skein::chaos {
namespace {

void handle(int signal, void (*handler)(int), int flags = SA_RESTART) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigaction(signal, &action, nullptr);
}

void every(long microseconds) {
  const itimerval timer = {{0, microseconds}, {0, microseconds}};
  setitimer(ITIMER_REAL, &timer, nullptr);
}

// Timers and another process send signals as fast as they can; each handler records.
void signal_storm() {
  handle(SIGALRM, [](int) { record(3); });
  handle(SIGUSR1, [](int) { record(3); });
  const BusyThreads busy(2);
  every(50);
  const pid_t program = getpid();
  const pid_t other = fork();
  if (other == 0) {
    for (int i = 0; i < 2000; ++i) kill(program, SIGUSR1);
    _exit(0);
  }
  record(20'000);
  const int status = wait_for(other);
  every(0);
  print_status("sender", status);
}
const Scenario registered_storm("signal-storm", signal_storm);

// Queued signals with values, each received once; and a timer that runs a thread each time.
void timers() {
  sigset_t queued;
  sigemptyset(&queued);
  sigaddset(&queued, SIGRTMIN + 3);
  pthread_sigmask(SIG_BLOCK, &queued, nullptr);
  static std::atomic<int> ticks;
  sigevent event = {};
  event.sigev_notify = SIGEV_THREAD;
  event.sigev_notify_function = [](sigval) {
    record(20);
    ++ticks;
  };
  timer_t timer;
  if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0) not_permitted();
  const itimerspec times = {{0, 200'000}, {0, 200'000}};
  timer_settime(timer, 0, &times, nullptr);
  long sum = 0;
  std::thread receiver([&] {
    for (int i = 0; i < 500; ++i) {
      siginfo_t info;
      while (sigwaitinfo(&queued, &info) < 0) {
      }
      record(2);
      sum += info.si_value.sival_int;
    }
  });
  for (int i = 0; i < 500; ++i) {
    while (sigqueue(getpid(), SIGRTMIN + 3, sigval{i}) != 0) sched_yield();
    record(2);
  }
  receiver.join();
  while (ticks < 5) usleep(100);
  timer_delete(timer);
  print("%ld\n", sum);
}
const Scenario registered_timers("timers", timers);

sigjmp_buf target;

// Handlers leave the recorder by siglongjmp, at any instruction.
void jumps() {
  static std::atomic<int> count;
  count = 0;
  handle(
      SIGALRM,
      [](int) {
        ++count;
        siglongjmp(target, 1);
      },
      SA_NODEFER);
  if (sigsetjmp(target, 1) == 0) every(100);  // no signal before there is a target
  if (count < 200)
    for (;;) record(10);
  every(0);
  handle(SIGALRM, SIG_IGN);
  record(1000);
  std::thread(record, 1000).join();
  print("left the recorder\n");
}
const Scenario registered_jumps("jumps", jumps);

// _Fork is the only fork that a signal handler may call. It runs no handlers of fork.
void forks_in_handlers() {
  static std::atomic<int> children, good;
  handle(SIGALRM, [](int) {
    const int saved = errno;
    if (children++ < 50) {
      const pid_t child = _Fork();
      if (child == 0) {
        record_uncounted(10);
        _exit(7);
      }
      const int status = wait_for(child);
      good += WIFEXITED(status) && WEXITSTATUS(status) == 7;
    }
    errno = saved;
  });
  every(300);
  while (good < 50 && children < 60) record(100);
  every(0);
  print("%d\n", good.load());
}
const Scenario registered_forks("forks-in-handlers", forks_in_handlers);

// All signals are blocked in all threads; a pending one arrives only when the program unblocks it.
void blocked_signals() {
  sigset_t all, before, pending;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  static std::atomic<int> handled;
  handle(SIGUSR2, [](int) {
    record(5);
    ++handled;
  });
  const BusyThreads busy(2);
  raise(SIGUSR2);
  record(20'000);
  const int early = handled;
  sigpending(&pending);
  print("%d %d\n", early, sigismember(&pending, SIGUSR2));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  print("%d\n", handled.load());
}
const Scenario registered_blocked("blocked-signals", blocked_signals);

}  // namespace
}  // namespace skein::chaos
