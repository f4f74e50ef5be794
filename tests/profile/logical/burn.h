// PROGRAM SECONDS: each burn<N>() is called with one chain of coroutines that wait, the path N in
// the comments at the beginning of the program: functions with the letter that marks the line of
// their co_await, the last one without: it runs. The program prints how long each ran, in ns of CPU
// time.
//
// Compiled with WAITS, burn() waits instead: on odd paths 5 ms, on even ones WAITS times 50 us,
// shorter than the interval of samples. The program prints how long each waited.
#pragma once

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace app {

constexpr int most_paths = 20;
inline std::atomic<long> spent[most_paths];
inline volatile unsigned sink;

inline long cpu_time() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * 1'000'000'000L + now.tv_nsec;
}

#ifdef WAITS
template <int path>
[[gnu::noinline]] void burn(int) {
  timespec begin{}, end{};
  const timespec time{.tv_sec = 0, .tv_nsec = path % 2 == 0 ? 50'000 : 5'000'000};
  clock_gettime(CLOCK_MONOTONIC, &begin);
  for (int i = 0; i < (path % 2 == 0 ? WAITS : 1); i++) nanosleep(&time, nullptr);
  clock_gettime(CLOCK_MONOTONIC, &end);
  spent[path] += (end.tv_sec - begin.tv_sec) * 1'000'000'000L + end.tv_nsec - begin.tv_nsec;
}
#else
template <int path>
[[gnu::noinline]] void burn(int loops) {
  const long begin = cpu_time();
  for (int i = 0; i < loops * 1000; i++) sink = sink + 1;
  spent[path] += cpu_time() - begin;
}
#endif

inline void sleep_for(const char* text) {
  const double seconds = std::atof(text);
  timespec time{};
  time.tv_sec = static_cast<time_t>(seconds);
  time.tv_nsec = static_cast<long>((seconds - static_cast<double>(time.tv_sec)) * 1e9);
  nanosleep(&time, nullptr);
}

inline void report() {
  for (int i = 0; i < most_paths; i++)
    if (spent[i] != 0) std::printf("%d %ld\n", i, spent[i].load());
}

}  // namespace app
