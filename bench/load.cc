// From the trace file to its first picture, stage by stage; once, as a user experiences it.
//
//   bench_load TRACE [MEGABYTES]
//   skein-generate-mirage --events 10000000 -o big.ctf && bench_load big.ctf 800
//
// Prints the number of events; CPU ns per event to decode, to build the model, to arrange rows; CPU
// ms of the first draw list and of painting it, 1500 x 900; bytes per event of columns, model and
// rows, and of the process at its peak. Touches MEGABYTES of memory first (see warm_memory).
#include <cstdint>

#include "bench/stages.h"
#include "view/paint/paint.h"
#include "view/viewer/viewer.h"

namespace {

using namespace skein;

template <typename T>
size_t bytes(const std::vector<T>& items) {
  return items.size() * sizeof(T);
}

size_t bytes(const Model& model) {
  size_t sum = bytes(model.tasks) + bytes(model.interactions) + bytes(model.activations) +
               bytes(model.sleeps) + bytes(model.pauses) + bytes(model.labels) +
               bytes(model.spans) + bytes(model.counters);
  for (const Model::Counter& counter : model.counters) sum += bytes(counter.points);
  return sum;
}

size_t bytes(const Rows& rows) {
  return bytes(rows.row) + bytes(rows.begin) + bytes(rows.tasks) + bytes(rows.activation_begin) +
         bytes(rows.activations) + bytes(rows.task_times) + bytes(rows.bar_styles) +
         bytes(rows.activation_times) + bytes(rows.arrow_blocks);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fputs("usage: bench_load TRACE [MEGABYTES]\n", stderr);
    return 2;
  }
  if (argc > 2) bench::warm_memory(static_cast<size_t>(atoll(argv[2])) << 20);
  Trace trace;
  const double decode = bench::milliseconds([&] { trace = bench::trace_or_exit(argv[1]); });
  const auto events = static_cast<double>(trace.events.size());
  const size_t columns = trace.events.bytes();
  Model model;
  const double build = bench::milliseconds([&] { model = build_model(trace); });
  Viewer viewer;
  viewer.resize(1500, 900);
  const double arrange = bench::milliseconds(
      [&] { viewer.add(skein::LoadedTrace(std::move(trace), std::move(model)), "the trace"); });
  const double list = bench::milliseconds([&] { viewer.picture(); });
  std::vector<uint32_t> pixels(size_t{1500} * 900);
  const double paint = bench::milliseconds([&] {
    paint_pixels(viewer.picture(), viewer.theme(), PixelOrder::Bgra, 1, 1500, 900, pixels);
  });
  const double to_ns = 1e6 / events;
  const auto per_event = [&](size_t size) { return static_cast<double>(size) / events; };
  printf("%.0f\t%.1f\t%.1f\t%.1f\t%.2f\t%.2f\t%.1f\t%.1f\t%.1f\t%.1f\n", events, decode * to_ns,
         build * to_ns, arrange * to_ns, list, paint, per_event(columns),
         per_event(bytes(viewer.model(0))), per_event(bytes(*viewer.tracks()[0].rows)),
         bench::peak_bytes() / events);
}
