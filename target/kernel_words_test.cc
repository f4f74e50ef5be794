#include "target/kernel_words.h"

#include <doctest/doctest.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>

using namespace skein;

TEST_CASE("numbers behind a key") {
  CHECK(numbers_behind("tfd: 5 events: 19 data:   7f00  pos:0\ntfd: 6 data: 1f data:", "data:") ==
        std::vector<uint64_t>{0x7F00, 0x1F});
  CHECK(numbers_behind("", "data:").empty());
}

TEST_CASE("what a process has registered with epoll is known") {
  const int epoll = epoll_create1(0);
  const int event = eventfd(0, 0);
  epoll_event one{};
  one.data.u64 = 0x123456789ABC;
  REQUIRE(epoll_ctl(epoll, EPOLL_CTL_ADD, event, &one) == 0);
  const auto words = read_kernel_words("/proc/self");
  if (!words)
    MESSAGE("skipped: the kernel has no list of timers");
  else
    CHECK(std::find(words->begin(), words->end(), one.data.u64) != words->end());
  close(event);
  close(epoll);
  CHECK(!read_kernel_words("/proc/0"));
}
