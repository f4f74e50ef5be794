// Decode speed of our reader: events into columns, CPU seconds of the whole process.
//
//   bench_decode TRACE [rounds]     prints events, best and median million events per CPU second,
//                                   bytes of the columns per event
#include <time.h>

#include <cstdio>
#include <cstdlib>

#include "base/disk_files.h"
#include "bench/rounds.h"
#include "trace/read/reader.h"

namespace {
double process_cpu() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) / 1e9;
}
}  // namespace

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
    skein::DiskFiles disk;
    const double begin = process_cpu();
    skein::Result<skein::Trace> trace = skein::read_trace(disk, argv[1]);
    seconds.push_back(process_cpu() - begin);
    if (!trace) {
      fprintf(stderr, "skein: %s\n", trace.error().message().c_str());
      return 2;
    }
    events = trace->events.size();
    bytes = trace->events.bytes();
  }
  const auto n = static_cast<double>(events);
  printf("%zu\t%.2f\t%.2f\t%.1f\n", events, n / skein::bench::best_of(seconds) / 1e6,
         n / skein::bench::median_of(seconds) / 1e6, static_cast<double>(bytes) / n);
}
