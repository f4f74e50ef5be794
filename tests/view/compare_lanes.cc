// Compares the lanes in pictures of a trace with the model: each stretch must have run on the
// thread of its lane, and what ran there must be drawn.
//
//   compare_lanes TRACE
//
// Prints how many stretches it compared and how many are wrong. The exit code is 1 if any is, or if
// there is none, and 77 if the trace has no lanes.
#include <algorithm>
#include <cstdio>

#include "base/disk_files.h"
#include "trace/read/reader.h"
#include "view/draw/areas.h"
#include "view/viewer/viewer.h"

using namespace skein;

namespace {

constexpr double slack = 2.5;  // pixels: a thin stretch is widened

struct Counts {
  size_t stretches = 0;
  size_t foreign = 0;  // not of the lane's thread
  size_t missing = 0;  // not drawn
};

class LaneComparison {
 public:
  explicit LaneComparison(Viewer& viewer)
      : viewer_(viewer),
        list_(viewer.picture()),
        track_(viewer.tracks()[0]),
        at_(areas(viewer.tracks(), viewer.window(), viewer.marks())) {}

  void compare(Counts& counts) const {
    for (uint32_t lane = 0; lane < track_.rows->lanes.size(); lane++) compare(lane, counts);
  }

 private:
  struct Stretch {
    double x, end;
    TaskIndex task;  // no_index: several
  };

  double x(uint64_t time) const {
    const Window& window = viewer_.window();
    return (static_cast<double>(time) - window.from) / (window.to - window.from) * window.width;
  }

  void compare(uint32_t lane, Counts& counts) const {
    const Window& window = viewer_.window();
    const double top = at_.rows + (lane - window.top) * window.row_height;
    if (top < at_.rows - 1 || top + window.row_height > at_.counters) return;
    std::vector<Stretch> drawn;
    for (const Primitive& p : list_.primitives)
      if (p.shape == Shape::Fill && p.x + p.w > slack && p.x < window.width &&
          (p.ink == Ink::Bar || p.ink == Ink::Running) && p.y >= top - 1 &&
          p.y + p.h <= top + window.row_height + 1)
        drawn.push_back(
            {p.x, p.x + p.w, p.item.kind == Item::Kind::Task ? p.item.index : no_index});
    std::vector<Stretch> ran;
    for (const Model::Activation& run : track_.model->activations)
      if (run.executor == track_.rows->lanes[lane] && x(run.end) >= 0 &&
          x(run.start) <= window.width)
        ran.push_back({x(run.start), x(run.end), run.task});
    for (const Stretch& one : drawn) {
      counts.stretches++;
      const bool is_here = std::any_of(ran.begin(), ran.end(), [&](const Stretch& of) {
        if (one.task != no_index && (of.task != one.task || of.end + slack < one.end)) return false;
        return of.x - slack <= one.x && of.end + slack >= one.x;
      });
      if (is_here) continue;
      counts.foreign++;
      std::printf("lane %u, at %.1f to %.1f of %.0f to %.0f ns: task %d did not run\n", lane, one.x,
                  one.end, window.from, window.to, static_cast<int>(one.task));
    }
    for (const Stretch& of : ran) {
      if (of.end <= 2 * slack || of.x >= window.width - slack) continue;
      counts.missing += !std::any_of(drawn.begin(), drawn.end(), [&](const Stretch& one) {
        return one.x - slack <= std::max(of.x, 0.0) &&
               one.end + slack >= std::min<double>(of.end, window.width);
      });
    }
  }

  const Viewer& viewer_;
  const DrawList& list_;
  const Track& track_;
  Areas at_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  DiskFiles disk;
  Result<Trace> trace = read_trace(disk, argv[1]);
  if (!trace) {
    std::fprintf(stderr, "%s\n", trace.error().message().c_str());
    return 2;
  }
  Viewer viewer;
  viewer.resize(1500, 900);
  viewer.add(*std::move(trace), argv[1]);
  if (viewer.tracks()[0].rows->lanes.empty()) {
    std::puts("no lanes");
    return 77;
  }
  viewer.run(Command::ToggleArrows);
  Counts counts;
  const Model& model = viewer.model(0);
  const auto end = static_cast<double>(model.end);
  for (const double zoom : {1.0, 10.0, 100.0, 1000.0, 10000.0})
    for (int at = 0; at < 20; at++) {
      // Where something runs: else most of a close view is empty.
      const auto& run = model.activations[model.activations.size() * static_cast<size_t>(at) / 20];
      const auto middle = static_cast<double>(run.start);
      viewer.show(middle - end / zoom / 2, middle + end / zoom / 2);
      LaneComparison(viewer).compare(counts);
    }
  std::printf("%zu stretches, %zu of another thread, %zu missing\n", counts.stretches,
              counts.foreign, counts.missing);
  return counts.stretches == 0 || counts.foreign != 0 || counts.missing != 0;
}
