// The coroutine benchmark: compiled out, compiled in but off, and on, in interleaved rounds.
//
//   bench_coroutine DIRECTORY [rounds]
//   bench_coroutine DIRECTORY count RUNS     only runs the benchmark, to count its events
#include <skein/skein.h>
#include <string.h>

#include "bench/rounds.h"

void run_without(uint32_t first, uint32_t second, uint32_t counter);
void run_with(uint32_t first, uint32_t second, uint32_t counter);

// One site and nothing else: bench/run counts its instructions.
extern "C" [[gnu::noinline]] void bench_one_site() {
  if (skein_enabled()) skein_counter_add(1, 1);
}

namespace {
volatile int64_t side = 0;
[[gnu::always_inline]] inline void site() {
  if (skein_enabled()) skein_counter_add(1, 1);
}
}  // namespace

int main(int argc, char** argv) {
  using namespace skein::bench;
  if (argc < 2) {
    fputs("usage: bench_coroutine DIRECTORY [rounds | count RUNS]\n", stderr);
    return 2;
  }
  skein_options options = {};
  options.directory = argv[1];
  const bool count = argc > 3 && strcmp(argv[2], "count") == 0;
  options.log = count ? 1 : 0;
  if (const int error = skein_start(&options); error != 0) {
    fprintf(stderr, "skein: %s: %s\n", argv[1], strerror(error));
    return 1;
  }
  const uint32_t bob = skein_string("Bob");
  const uint32_t fred = skein_string("Fred");
  const uint32_t counter = skein_string("runs");
  if (count) {
    for (long i = atol(argv[3]); i > 0; --i) run_with(bob, fred, counter);
    return 0;
  }
  constexpr size_t kRuns = 2'000;
  constexpr size_t kSites = 100'000;
  stay_on_cpu(0);
  Rounds rounds(argc > 2 ? strtoul(argv[2], nullptr, 10) : 301);
  const auto off = [] { skein_stop(); };
  const auto on = [] { skein_start(nullptr); };
  skein_stop();
  rounds.add("coroutine: compiled out", kRuns, [=](size_t n) {
    for (size_t i = 0; i < n; ++i) run_without(bob, fred, counter);
  });
  rounds.add("coroutine: off", kRuns, [=](size_t n) {
    for (size_t i = 0; i < n; ++i) run_with(bob, fred, counter);
  });
  rounds.add("loop of stores", kSites, [](size_t n) {
    for (size_t i = 0; i < n; ++i) side = 1;
  });
  rounds.add(
      "loop of stores with 4 sites, off", kSites,
      [](size_t n) {
        for (size_t i = 0; i < n; ++i) {
          side = 1;
          site();
          site();
          site();
          site();
        }
      },
      on);
  rounds.add(
      "coroutine: on", kRuns,
      [=](size_t n) {
        for (size_t i = 0; i < n; ++i) run_with(bob, fred, counter);
      },
      off);
  rounds.run();
}
