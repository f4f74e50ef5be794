// How long a redraw takes: rows once, then draw lists at four zooms, rows that fit and rows that
// can be read; CPU milliseconds of the whole process, the median of the rounds.
//
//   bench_draw TRACE [rounds]
//   skein-generate-mirage --events 10000000 -o big.ctf && bench_draw big.ctf
#include <time.h>

#include <cstdio>
#include <cstdlib>

#include "base/disk_files.h"
#include "bench/rounds.h"
#include "trace/read/reader.h"
#include "view/draw/scene.h"

namespace {
double process_cpu() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) / 1e6;
}

template <typename Work>
double milliseconds(int rounds, const Work& work) {
  std::vector<double> times;
  for (int i = 0; i < rounds; i++) {
    const double begin = process_cpu();
    work();
    times.push_back(process_cpu() - begin);
  }
  return skein::bench::median_of(times);
}
}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fputs("usage: bench_draw TRACE [rounds]\n", stderr);
    return 2;
  }
  const int rounds = argc > 2 ? atoi(argv[2]) : 9;
  skein::DiskFiles disk;
  const skein::Result<skein::Trace> trace = skein::read_trace(disk, argv[1]);
  if (!trace) {
    fprintf(stderr, "skein: %s\n", trace.error().message().c_str());
    return 2;
  }
  skein::Model model;
  printf("%zu events\tmodel %.1f ms\t", trace->events.size(),
         milliseconds(1, [&] { model = skein::build_model(*trace); }));
  skein::Rows rows;
  printf("rows %.1f ms\t", milliseconds(3, [&] { rows = skein::arrange(*trace, model); }));
  printf("%zu tasks in %u rows\n", model.tasks.size(), rows.count);

  const skein::Track track{&*trace, &model, &rows};
  const std::span<const skein::Track> tracks(&track, 1);
  const skein::Marks marks{.legend = true};
  const double end = static_cast<double>(model.end);
  puts("zoom\trow height\tms\tprimitives");
  for (const double zoom : {1.0, 10.0, 100.0, 1000.0, 100000.0}) {
    for (const double height : {0.0, 2.0, 6.0, 26.0}) {
      skein::Window window{.from = end * 0.3, .to = end * 0.3 + end / zoom, .row_height = height};
      if (zoom == 1) window.from = 0, window.to = end;
      if (height == 0) {
        const skein::Areas areas = skein::areas(tracks, window, marks);
        window.row_height = (areas.counters - areas.rows) / skein::total_rows(tracks);
      }
      skein::DrawList list;
      const double ms = milliseconds(rounds, [&] { skein::draw(tracks, window, marks, list); });
      printf("x%.0f\t%.3f\t%.2f\t%zu\n", zoom, window.row_height, ms, list.primitives.size());
    }
  }
}
