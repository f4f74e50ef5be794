// Decoding speed of skein's reader: events to columns, CPU time of the whole process.
//
//   bench_decode TRACE [rounds]     prints events, best and median million events per CPU second,
//                                   bytes of the columns per event
#include "bench/stages.h"

int main(int argc, char** argv) {
  if (argc < 2) {
    fputs("usage: bench_decode TRACE [rounds]\n", stderr);
    return 2;
  }
  const int rounds = argc > 2 ? atoi(argv[2]) : 5;
  std::vector<double> seconds;
  size_t events = 0;
  size_t bytes = 0;
  for (int i = 0; i < rounds; ++i) {
    skein::Trace trace;
    seconds.push_back(
        skein::bench::milliseconds([&] { trace = skein::bench::trace_or_exit(argv[1]); }) / 1e3);
    events = trace.events.size();
    bytes = trace.events.bytes();
  }
  const auto n = static_cast<double>(events);
  printf("%zu\t%.2f\t%.2f\t%.1f\n", events, n / skein::bench::best_of(seconds) / 1e6,
         n / skein::bench::median_of(seconds) / 1e6, static_cast<double>(bytes) / n);
}
