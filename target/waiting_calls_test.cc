#include "target/waiting_calls.h"

#include <doctest/doctest.h>

using namespace skein;

TEST_CASE("a thread waits in the kernel's function, or in the system call") {
  const std::optional<KernelCall> sleep = KernelCall{.number = 230};
  const std::optional<KernelCall> other = KernelCall{.number = 9999};
  CHECK(waits_in("hrtimer_nanosleep", sleep) == "hrtimer_nanosleep");
  CHECK(waits_in("do_syscall_64", sleep) == "clock_nanosleep");
  CHECK(waits_in("0", sleep) == "clock_nanosleep");
  CHECK(waits_in("", sleep) == "clock_nanosleep");
  CHECK(waits_in("do_syscall_64", other) == "do_syscall_64");
  CHECK(waits_in("do_syscall_64", {}) == "do_syscall_64");
  CHECK(waits_in("0", other).empty());
  CHECK(waits_in("0", {}).empty());
}
