// A trace to its model: CPU time and memory per event.
//
//   bench_model TRACE [rounds]   events, ns an event (best) to decode, to build the model, million
//                                events per CPU second for both, bytes an event of the model, and
//                                the most memory the process had at any time, bytes an event
#include "trace/model/model.h"

#include <sys/resource.h>
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

template <typename T>
double bytes(const std::vector<T>& items) {
  return static_cast<double>(items.size() * sizeof(T));
}

double bytes(const skein::Model& model) {
  double sum = bytes(model.tasks) + bytes(model.interactions) + bytes(model.activations) +
               bytes(model.sleeps) + bytes(model.pauses) + bytes(model.labels) +
               bytes(model.spans) + bytes(model.counters);
  for (const auto& counter : model.counters) sum += bytes(counter.points);
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fputs("usage: bench_model TRACE [rounds]\n", stderr);
    return 2;
  }
  const int rounds = argc > 2 ? atoi(argv[2]) : 5;
  std::vector<double> decode, build;
  double events = 0;
  double model_bytes = 0;
  for (int i = 0; i < rounds; ++i) {
    skein::DiskFiles disk;
    const double begin = process_cpu();
    skein::Result<skein::Trace> trace = skein::read_trace(disk, argv[1]);
    if (!trace) {
      fprintf(stderr, "skein: %s\n", trace.error().message().c_str());
      return 2;
    }
    const double decoded = process_cpu();
    const skein::Model model = skein::build_model(*trace);
    const double built = process_cpu();
    decode.push_back(decoded - begin);
    build.push_back(built - decoded);
    events = static_cast<double>(trace->events.size());
    model_bytes = bytes(model);
  }
  using skein::bench::best_of;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  printf("%.0f\t%.1f\t%.1f\t%.2f\t%.1f\t%.1f\n", events, best_of(decode) / events * 1e9,
         best_of(build) / events * 1e9, events / (best_of(decode) + best_of(build)) / 1e6,
         model_bytes / events, static_cast<double>(usage.ru_maxrss) * 1024 / events);
}
