// waiter SECONDS: an event loop that waits after each 50 us of work, and ends with 3 if epoll_wait fails.
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>

volatile unsigned sink;

int main(int, char** words) {
  const int loop = epoll_create1(0);
  const int timer = timerfd_create(CLOCK_MONOTONIC, 0);
  epoll_event event{.events = EPOLLIN, .data = {}};
  epoll_ctl(loop, EPOLL_CTL_ADD, timer, &event);
  timespec begin{}, now{};
  clock_gettime(CLOCK_MONOTONIC, &begin);
  do {
    const itimerspec soon{.it_interval = {}, .it_value = {.tv_sec = 0, .tv_nsec = 20'000}};
    timerfd_settime(timer, 0, &soon, nullptr);
    if (epoll_wait(loop, &event, 1, -1) < 0) {
      std::perror("epoll_wait");
      return 3;
    }
    uint64_t count = 0;
    if (read(timer, &count, sizeof count) < 0) return 4;
    for (int i = 0; i < 50'000; i++) sink = sink + 1;
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while (now.tv_sec - begin.tv_sec < std::atoi(words[1]));
}
