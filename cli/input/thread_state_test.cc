#include "cli/input/thread_state.h"

#include <doctest/doctest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <future>
#include <thread>

namespace skein::cli {
namespace {

TEST_CASE("a thread is described by what it waits for") {
  CHECK(describe_thread('R', "0") == "is on a CPU or waits for one: it computes");
  CHECK(describe_thread('S', "futex_wait_queue") ==
        "waits for a lock, a condition variable or a future (futex_wait_queue)");
  CHECK(describe_thread('S', "hrtimer_nanosleep") == "sleeps (hrtimer_nanosleep)");
  CHECK(describe_thread('S', "do_epoll_wait") == "waits for a descriptor (do_epoll_wait)");
  CHECK(describe_thread('S', "skb_wait") == "is blocked in a system call (skb_wait)");
  CHECK(describe_thread('S', "0") == "is blocked in a system call");
  CHECK(describe_thread('D', "folio_wait") == "waits for the disk or a device (folio_wait)");
  CHECK(describe_thread('T', "") == "is stopped by a signal or a debugger");
  CHECK(describe_thread('Z', "") == "");
  CHECK(describe_thread('S', "a\x1b[2J\nb") == "is blocked in a system call (a\\x1b[2J\\nb)");
}

TEST_CASE("threads of this process") {
  const std::string self = std::to_string(getpid());
  CHECK(thread_state(self, static_cast<uint64_t>(syscall(SYS_gettid))) ==
        describe_thread('R', "0"));
  std::promise<long> started;
  std::promise<void> ends;
  std::thread blocked([&] {
    started.set_value(syscall(SYS_gettid));
    ends.get_future().wait();
  });
  const auto tid = static_cast<uint64_t>(started.get_future().get());
  // Without the function, as in a kernel that hides it, any system call.
  const auto is_blocked = [&] {
    const std::string state = thread_state(self, tid);
    return state.find("a future (") != std::string::npos || state == describe_thread('S', "");
  };
  while (!is_blocked()) std::this_thread::yield();  // else the test never ends
  ends.set_value();
  blocked.join();
  CHECK(thread_state(self, 4'000'000'000) == "");
  CHECK(thread_state("0", 1) == "");
}

}  // namespace
}  // namespace skein::cli
