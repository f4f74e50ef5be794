// Two threads that wait for each other: a round trip through two pipes has two waits of each.
//
//   switches N      prints the CPU time of the process in ns, user and system, and N
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace {

void pass(int from, int to, long times) {
  for (char byte = 0; times-- > 0;)
    if (read(from, &byte, 1) != 1 || write(to, &byte, 1) != 1) std::abort();
}

}  // namespace

int main(int count, char** words) {
  const long times = count > 1 ? std::atol(words[1]) : 100'000;
  std::array<int, 2> there = {}, back = {};
  if (pipe(there.data()) != 0 || pipe(back.data()) != 0) return 1;
  std::thread other(pass, there[0], back[1], times);
  const char byte = 0;
  if (write(there[1], &byte, 1) != 1) return 1;
  pass(back[0], there[1], times - 1);
  other.join();
  rusage used = {};
  getrusage(RUSAGE_SELF, &used);
  const auto ns = [](const timeval& time) {
    return time.tv_sec * 1'000'000'000LL + time.tv_usec * 1000LL;
  };
  std::printf("%lld %ld\n", ns(used.ru_utime) + ns(used.ru_stime), times);
}
