// What a person waits for in the viewer: every key of a search, the next that was found, a click's
// panel, a redraw; CPU milliseconds of the whole process.
//
//   bench_view TRACE [rounds] [distinct]
//   skein-generate-mirage --events 1000000 -o big.ctf && bench_view big.ctf
//
// With `distinct` every label of the trace gets a text of its own first: the most that a search can
// have to look at.
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/disk_files.h"
#include "bench/rounds.h"
#include "trace/read/reader.h"
#include "view/viewer/viewer.h"

namespace {
double process_cpu() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) / 1e6;
}

template <typename Work>
double milliseconds(const Work& work) {
  const double begin = process_cpu();
  work();
  return process_cpu() - begin;
}

skein::Trace with_distinct_labels(skein::Trace trace) {
  skein::Trace result;
  std::string text;
  for (skein::StringId id = 1; id < trace.strings.size(); id++)
    result.strings.intern(trace.strings[id]);
  for (size_t i = 0; i < trace.events.size(); i++) {
    skein::EventRow row = trace.events.row(i);
    if (row.kind == skein::EventKind::Label) {
      text = trace.strings[row.text];
      row.text = result.strings.intern(text + " request " + std::to_string(i));
    }
    result.events.append(row);
  }
  result.kinds = std::move(trace.kinds);
  result.executors = std::move(trace.executors);
  result.locations = std::move(trace.locations);
  result.facts = std::move(trace.facts);
  return result;
}
}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fputs("usage: bench_view TRACE [rounds]\n", stderr);
    return 2;
  }
  const int rounds = argc > 2 ? atoi(argv[2]) : 9;
  skein::DiskFiles disk;
  skein::Result<skein::Trace> trace = skein::read_trace(disk, argv[1]);
  if (!trace) {
    fprintf(stderr, "skein: %s\n", trace.error().message().c_str());
    return 2;
  }
  if (argc > 3) *trace = with_distinct_labels(std::move(*trace));
  const size_t events = trace->events.size();
  const size_t texts = trace->strings.size();
  skein::Viewer viewer;
  viewer.resize(1500, 900);
  printf("%zu events, %zu texts: opened in %.1f ms\n", events, texts,
         milliseconds([&] { viewer.add(std::move(*trace), argv[1]); }));

  // Every prefix is one key; the first also makes the copy of the texts.
  const auto type = [&](std::string_view text) {
    std::string times;
    size_t found = 0;
    double worst = 0;
    for (size_t length = 1; length <= text.size(); length++) {
      const double ms = milliseconds([&] { found = viewer.search(text.substr(0, length)).count; });
      worst = std::max(worst, ms);
      char one[32];
      snprintf(one, sizeof one, " %.2f", ms);
      times += one;
    }
    viewer.search("");
    printf("search %-14s %8zu found, worst key %.2f ms:%s\n", std::string(text).c_str(), found,
           worst, times.c_str());
  };
  for (const char* text :
       {"ring.write", "ring.write", "RING.WRITE", "e", "bind", "+1460", "no such text", "1205"})
    type(text);

  using skein::Command;
  const auto median = [&](const char* what, auto&& prepare, auto&& work) {
    std::vector<double> times;
    for (int i = 0; i < rounds; i++) {
      prepare();
      times.push_back(milliseconds(work));
    }
    printf("%-36s %8.2f ms\n", what, skein::bench::median_of(times));
  };
  const auto nothing = [] {};
  viewer.search("ring");
  median(
      "the first next",
      [&] {
        viewer.search("");
        viewer.search("ring");
      },
      [&] { viewer.run(Command::SearchNext); });
  median("next", nothing, [&] { viewer.run(Command::SearchNext); });
  median(
      "panel of a task", [&] { viewer.run(Command::SearchNext); }, [&] { viewer.panel(); });
  median("related", nothing, [&] { viewer.run(Command::HighlightRelated); });
  median("follow an arrow", nothing, [&] { viewer.run(Command::FollowToSource); });
  viewer.run(Command::Escape);
  viewer.run(Command::Escape);
  viewer.run(Command::Escape);
  median(
      "panel of the trace",
      [&] {
        viewer.select(0, 0);
        viewer.run(Command::Escape);
      },
      [&] { viewer.panel(); });
  viewer.run(Command::Measure);
  median(
      "panel of a range", [&] { viewer.run(Command::Measure); }, [&] { viewer.panel(); });
  median(
      "filter", [&] { viewer.set_filter({}); }, [&] { viewer.set_filter({.label = "ring"}); });
  viewer.set_filter({});
  viewer.run(Command::FitAll);
  median(
      "redraw of all", [&] { viewer.pointer_move(700, 400); }, [&] { viewer.picture(); });
  median(
      "redraw of all, with search",
      [&] {
        viewer.search("");
        viewer.search("ring");
      },
      [&] { viewer.picture(); });
  viewer.search("");
  median("tooltip", nothing, [&] { viewer.tooltip(); });
  const double end = static_cast<double>(viewer.model(0).end);
  viewer.show(end / 2, end / 2 + end / 100);
  median(
      "redraw of a hundredth", [&] { viewer.pointer_move(700, 400); }, [&] { viewer.picture(); });
  return 0;
}
