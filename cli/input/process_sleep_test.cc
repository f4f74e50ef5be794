#include "cli/input/process_sleep.h"

#include <doctest/doctest.h>
#include <linux/futex.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <future>
#include <thread>

namespace skein::cli {
namespace {

// The thread sanitizer has a thread of its own, which sleeps for a time.
#if defined(__SANITIZE_THREAD__)
constexpr bool others_sleep = false;
#else
constexpr bool others_sleep = true;
#endif

SystemCall call(long number, const std::string& arguments) {
  return parse_system_call(std::to_string(number) + arguments + " 0x7ffc0 0x7f01");
}

TEST_CASE("timeouts of waits for descriptors") {
  CHECK(poll_timeout(call(SYS_epoll_pwait, " 0x5 0x7ffd 0x80 0xffffffff 0x0 0x8")) == -1);
  CHECK(poll_timeout(call(SYS_epoll_pwait, " 0x5 0x7ffd 0x80 0x3e8 0x0 0x8")) == 1000);
#ifdef SYS_poll
  CHECK(poll_timeout(call(SYS_poll, " 0x7ffd 0x2 0x10 0x0 0x0 0x8")) == 16);
#endif
  CHECK(poll_timeout(call(SYS_futex, " 0x5 0x7ffd 0x80 0x10 0x0 0x8")) == 0);
  CHECK(poll_timeout(parse_system_call("running")) == 0);
  CHECK(poll_timeout(parse_system_call("")) == 0);
}

TEST_CASE("futexes without a timeout") {
  CHECK(waits_in_futex(call(SYS_futex, " 0x7f00 0x189 0x0 0x0 0x0 0xffffffff")));
  CHECK(waits_in_futex(call(SYS_futex, " 0x7f00 0x80 0x2 0x0 0x0 0x0")));
  CHECK(!waits_in_futex(call(SYS_futex, " 0x7f00 0x189 0x0 0x7ffc0 0x0 0xffffffff")));
  CHECK(!waits_in_futex(call(SYS_nanosleep, " 0x7f00 0x189 0x0 0x0 0x0 0xffffffff")));
}

TEST_CASE("stopped threads") {
  CHECK(is_stopped("7 (a) S) T 1 7"));
  CHECK(is_stopped("7 (a) t 1 7"));
  CHECK(!is_stopped("7 (T) S 1 7"));
  CHECK(!is_stopped("7 (a) "));
  CHECK(!is_stopped(""));
}

TEST_CASE("signals whose handlers may wake a thread") {
  const auto bit = [](int signal) { return uint64_t{1} << (signal - 1); };
  CHECK(catches_only_faults(0));
  CHECK(catches_only_faults(bit(SIGBUS) | bit(SIGABRT) | bit(32)));
  for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1})
    CHECK(!catches_only_faults(bit(SIGBUS) | bit(signal)));
}

// What is read of a process that runs `body` after the fork, in its first thread.
template <class Body>
ProcessSleep sleep_of(Body body) {
  const pid_t child = fork();
  if (child == 0) {
    for (int signal = 1; signal < 32; signal++) std::signal(signal, SIG_DFL);
    body();
    _exit(0);
  }
  // Until it does not change any more.
  ProcessSleep sleep;
  for (int same = 0; same < 3;) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const ProcessSleep next = read_sleep(std::to_string(child));
    same = next.switches == sleep.switches ? same + 1 : 0;
    sleep = next;
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  return sleep;
}

void wait_for_ever() { std::promise<void>().get_future().wait(); }

void watch(std::initializer_list<int> files, int timeout = -1) {
  const int epoll = epoll_create1(0);
  for (const int file : files) {
    epoll_event event = {.events = EPOLLIN, .data = {}};
    epoll_ctl(epoll, EPOLL_CTL_ADD, file, &event);
  }
  epoll_event event = {};
  epoll_wait(epoll, &event, 1, timeout);
}

TEST_CASE("a process whose threads wait for each other sleeps for good") {
  ProcessSleep sleep = sleep_of(wait_for_ever);
  CHECK(sleep.for_good == others_sleep);
  CHECK(!sleep.in_loop);

  sleep = sleep_of([] {
    const std::thread loop([] { watch({eventfd(0, 0), timerfd_create(CLOCK_MONOTONIC, 0)}); });
    wait_for_ever();
  });
  CHECK(sleep.for_good == others_sleep);
  CHECK(sleep.in_loop == others_sleep);
}

TEST_CASE("a process that something outside may wake") {
  const auto with_pipe = [] {
    int ends[2] = {};
    if (pipe(ends) != 0) _exit(1);
    const std::thread loop([&] { watch({ends[0]}); });
    wait_for_ever();
  };
  ProcessSleep sleep = sleep_of(with_pipe);
  CHECK(!sleep.for_good);
  CHECK(sleep.in_loop == others_sleep);

  const auto with_timer = [] {
    const int timer = timerfd_create(CLOCK_MONOTONIC, 0);
    const itimerspec hour = {.it_interval = {}, .it_value = {3600, 0}};
    timerfd_settime(timer, 0, &hour, nullptr);
    watch({timer});
  };
  sleep = sleep_of(with_timer);
  CHECK(!sleep.for_good);
  CHECK(sleep.in_loop == others_sleep);

  sleep = sleep_of([] { watch({eventfd(0, 0)}, 3'600'000); });  // run_for()
  CHECK(!sleep.for_good);
  CHECK(!sleep.in_loop);

  CHECK(!sleep_of([] { pause(); }).for_good);
  CHECK(!sleep_of([] { std::this_thread::sleep_for(std::chrono::hours(1)); }).for_good);
  sleep = sleep_of([] {
    std::promise<void> never;
    never.get_future().wait_for(std::chrono::hours(1));
  });
  CHECK(!sleep.for_good);
  CHECK(!sleep.in_loop);
  sleep = sleep_of([] {
    std::signal(SIGUSR1, [](int) {});
    wait_for_ever();
  });
  CHECK(!sleep.for_good);
}

TEST_CASE("no process") {
  const ProcessSleep sleep = read_sleep("0");
  CHECK(!sleep.in_loop);
  CHECK(!sleep.for_good);
}

}  // namespace
}  // namespace skein::cli
