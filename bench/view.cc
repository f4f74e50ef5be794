// Waiting times in the viewer other than redraws: each key of a search, the next match, a click's
// panel, a filter. CPU ms of the whole process.
//
//   bench_view TRACE [rounds] [distinct]
//   skein-generate-mirage --events 1000000 -o big.ctf && bench_view big.ctf
//
// Prints `search`, the typed text, the number of tasks found, ms of the first key (which copies the
// strings in the first search), ms of the slowest other key; or `use`, the action, median ms. With
// `distinct`, every label of the trace first gets a unique text: the worst case for a search.
#include <algorithm>
#include <string>

#include "bench/stages.h"
#include "view/viewer/viewer.h"

namespace {

using namespace skein;

Trace with_distinct_labels(Trace trace) {
  Trace result;
  std::string text;
  for (StringId id = 1; id < trace.strings.size(); id++) result.strings.intern(trace.strings[id]);
  for (size_t i = 0; i < trace.events.size(); i++) {
    EventRow row = trace.events.row(i);
    if (row.kind == EventKind::Label) {
      text = trace.strings[row.text];
      row.text = result.strings.intern(text + " request " + std::to_string(i));
    }
    result.events.append(row);
  }
  result.kinds = std::move(trace.kinds);
  result.executors = std::move(trace.executors);
  result.locations = std::move(trace.locations);
  result.info = std::move(trace.info);
  return result;
}

// Every prefix is one key press.
void type(Viewer& viewer, std::string_view text) {
  size_t found = 0;
  double first = 0;
  double others = 0;
  for (size_t length = 1; length <= text.size(); length++) {
    const double ms =
        bench::milliseconds([&] { found = viewer.search(text.substr(0, length)).count; });
    if (length == 1)
      first = ms;
    else
      others = std::max(others, ms);
  }
  viewer.search("");
  printf("search\t%s\t%zu\t%.2f\t%.2f\n", std::string(text).c_str(), found, first, others);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fputs("usage: bench_view TRACE [rounds] [distinct]\n", stderr);
    return 2;
  }
  const int rounds = argc > 2 ? atoi(argv[2]) : 9;
  Trace trace = bench::trace_or_exit(argv[1]);
  if (argc > 3) trace = with_distinct_labels(std::move(trace));
  printf("trace\t%zu\t%zu\n", trace.events.size(), trace.strings.size());
  bench::warm_memory(trace.events.size() * 100);
  Viewer viewer;
  viewer.resize(1500, 900);
  viewer.add(std::move(trace), argv[1]);
  for (const char* text :
       {"ring.write", "ring.write", "RING.WRITE", "e", "bind", "+1460", "no such text", "1205"})
    type(viewer, text);

  const auto median = [&](const char* what, auto&& prepare, auto&& work) {
    printf("use\t%s\t%.2f\n", what, bench::median_ms(rounds, prepare, work));
  };
  const auto nothing = [] {};
  const auto next = [&] { viewer.run(Command::SearchNext); };
  const auto search_anew = [&] {
    viewer.search("");
    viewer.search("ring");
  };
  const auto select_nothing = [&] {
    viewer.select(0, 0);
    viewer.run(Command::Escape);
  };
  viewer.search("ring");
  median("the first next", search_anew, next);
  median("next", nothing, next);
  median("panel of a task", next, [&] { viewer.panel(); });
  median("related", nothing, [&] { viewer.run(Command::HighlightRelated); });
  median("follow an arrow", nothing, [&] { viewer.run(Command::FollowToSource); });
  for (int i = 0; i < 3; i++) viewer.run(Command::Escape);
  median("panel of the trace", select_nothing, [&] { viewer.panel(); });
  viewer.run(Command::Measure);
  median(
      "panel of a range", [&] { viewer.run(Command::Measure); }, [&] { viewer.panel(); });
  median(
      "filter", [&] { viewer.set_filter({}); }, [&] { viewer.set_filter({.label = "ring"}); });
  viewer.set_filter({});
  viewer.run(Command::FitAll);
  median("redraw of all, with search", search_anew, [&] { viewer.picture(); });
  const auto move = [&] { viewer.pointer_move(viewer.marks().pointer_x > 700 ? 600 : 800, 400); };
  median("the pointer moves: readouts", move, [&] { viewer.readouts(); });
  median("the pointer moves: picture", move, [&] { viewer.picture(); });
  median(
      "tooltip", [&] { viewer.pointer_move(700, 400); }, [&] { viewer.tooltip(); });
}
