#include "profile/sched/tick_map.h"

#include <sys/prctl.h>
#include <time.h>

namespace skein {

namespace {

uint64_t read_counter() {
#if defined(__x86_64__)
  int mode = 0;  // a process may forbid itself to read the counter
  if (prctl(PR_GET_TSC, &mode) == 0 && mode == PR_TSC_ENABLE) return __builtin_ia32_rdtsc();
#endif
  return 0;
}

uint64_t read_monotonic() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

}  // namespace

TickMap::Pair TickMap::read() {
  Pair best = {};
  uint64_t least = UINT64_MAX;
  if (read_counter() == 0) return {.monotonic_ns = read_monotonic()};
  for (int i = 0; i < 8; i++) {  // the closest
    const uint64_t before = read_counter();
    const uint64_t ns = read_monotonic();
    const uint64_t after = read_counter();
    if (after - before >= least) continue;
    least = after - before;
    best = {.counter = before + (after - before) / 2, .monotonic_ns = ns};
  }
  return best;
}

void TickMap::add(Pair pair) {
  if (pairs_.empty() || pair.monotonic_ns > pairs_.back().monotonic_ns) pairs_.push_back(pair);
}

uint64_t TickMap::counter(uint64_t monotonic_ns) {
  while (pairs_.size() > 2 && pairs_[1].monotonic_ns <= monotonic_ns) pairs_.pop_front();
  const Pair& from = pairs_[0];
  const Pair& to = pairs_[1];
  using Wide = __int128;
  const Wide passed = Wide{monotonic_ns} - from.monotonic_ns;
  const Wide counts = Wide{to.counter} - from.counter;
  const Wide ns = Wide{to.monotonic_ns} - from.monotonic_ns;
  const Wide counter = from.counter + passed * counts / ns;
  return counter < 0 ? 0 : static_cast<uint64_t>(counter);
}

}  // namespace skein
