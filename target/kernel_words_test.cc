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
  constexpr uint64_t word = 0x123456789ABC;
  one.data.u64 = word;  // of a packed structure
  REQUIRE(epoll_ctl(epoll, EPOLL_CTL_ADD, event, &one) == 0);
  const auto words = read_kernel_words("/proc/self");
  if (!words)
    MESSAGE("skipped: the kernel has no list of timers");
  else
    CHECK(std::find(words->words.begin(), words->words.end(), word) != words->words.end());
  close(event);
  close(epoll);
  CHECK(!read_kernel_words("/proc/0"));
}

TEST_CASE("what a process has written to itself and not read is unknown") {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const auto before = read_kernel_words("/proc/self");
  const uint64_t address = 0x123456789ABC;
  REQUIRE(write(ends[1], &address, sizeof address) == sizeof address);
  const auto unread = read_kernel_words("/proc/self");
  uint64_t same = 0;
  REQUIRE(read(ends[0], &same, sizeof same) == sizeof same);
  const auto after = read_kernel_words("/proc/self");
  if (!before || !unread || !after) {
    MESSAGE("skipped: the kernel has no list of timers");
  } else {
    CHECK_FALSE(before->has_others);
    CHECK(unread->has_others);
    CHECK_FALSE(after->has_others);
  }
  CHECK(same == address);
  close(ends[0]);
  close(ends[1]);
}
