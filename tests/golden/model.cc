// skein-model-summary TRACE: the model of a trace in a dozen numbers, as text. Exits 77 (skipped)
// when the trace is data/FILE and there is no such file in SKEIN_DATA or ../shared/data.
#include "trace/model/model.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/disk_files.h"
#include "trace/read/reader.h"

using namespace skein;

namespace {

std::string path_of(const std::string& argument) {
  if (argument.compare(0, 5, "data/") != 0) return argument;
  const char* folder = std::getenv("SKEIN_DATA");
  std::string path = (folder ? folder : SKEIN_SOURCE_DIR "/../shared/data") + argument.substr(4);
  if (std::filesystem::exists(path)) return path;
  std::printf("skipped: %s is not here; set SKEIN_DATA to the folder it is in\n", argument.c_str());
  std::exit(77);
}

template <typename T>
uint64_t length(const std::vector<T>& intervals) {
  uint64_t sum = 0;
  for (const T& interval : intervals) sum += interval.end - interval.start;
  return sum;
}

void print(const char* what, uint64_t count) {
  std::printf("%-24s %llu\n", what, static_cast<unsigned long long>(count));
}

template <typename T>
void print_intervals(const char* what, const std::vector<T>& intervals) {
  std::printf("%-24s %zu, %llu ns\n", what, intervals.size(),
              static_cast<unsigned long long>(length(intervals)));
}

void print(const Trace& trace, const Model& model) {
  uint64_t ends[5] = {};
  uint64_t pre_existing = 0, late = 0, stuck = 0, roots = 0;
  for (const Model::Task& task : model.tasks) {
    ends[static_cast<size_t>(task.how)]++;
    pre_existing += task.pre_existing;
    late += task.starts_late;
    stuck += task.is_unresolved();
    roots += task.parent == no_index;
  }
  uint64_t links[6] = {};
  for (const Model::Interaction& arrow : model.interactions)
    links[static_cast<size_t>(arrow.link)]++;
  constexpr const char* end_names[] = {"  open", "  resolved", "  failed", "  cancelled",
                                       "  became another"};
  constexpr const char* link_names[] = {
      "  read", "  read of a failure", "  resolve", "  notify", "  await", "  message"};
  print("end, ns", model.end);
  print("tasks", model.tasks.size());
  for (size_t how = 0; how < 5; how++) print(end_names[how], ends[how]);
  print("  from before", pre_existing);
  print("  of the root", roots);
  print("  begin at a read", late);
  print("  stuck", stuck);
  print_intervals("bars", model.tasks);
  print("arrows", model.interactions.size());
  for (size_t link = 0; link < 6; link++) print(link_names[link], links[link]);
  print_intervals("running", model.activations);
  print_intervals("asleep", model.sleeps);
  print_intervals("paused", model.pauses);
  print("labels", model.labels.size());
  for (const Model::Counter& counter : model.counters) {
    const Model::Scale& scale = model.scales[counter.scale];
    std::printf("counter %-16.*s %zu, scale %lld to %lld\n",
                static_cast<int>(trace.strings[counter.name].size()),
                trace.strings[counter.name].data(), counter.points.size(),
                static_cast<long long>(scale.low), static_cast<long long>(scale.high));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: skein-model-summary TRACE\n", stderr);
    return 2;
  }
  DiskFiles disk;
  const Result<Trace> trace = read_trace(disk, path_of(argv[1]));
  if (!trace) {
    std::fprintf(stderr, "%s\n", trace.error().message().c_str());
    return 2;
  }
  print(*trace, build_model(*trace));
  return 0;
}
