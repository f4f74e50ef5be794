// How long the flame graph of a profile's page takes to appear: after the pane is opened, and after
// each kind of selection. CPU ms of the whole process.
//
//   bench_pane [SAMPLES [ROUNDS [COPY]]]      1,000,000; 9
//
// The profile is made here: 8 threads at 1 kHz, 200 sessions whose requests await each other,
// 20,000 physical stacks of 10 to 40 functions. COPY: a new directory, into which it is written as
// a trace, for bench/pane.mjs.
//
// Prints `first` and `table`, ms of the first graph and table, once; and `select`, what, graph,
// samples that it shows, median ms of the graph, of the table, and of the timeline.
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include "bench/stages.h"
#include "profile/trace/sampled_tasks.h"
#include "trace/export/ctf.h"
#include "view/viewer/pane/flame_pane.h"
#include "view/viewer/viewer.h"

namespace {

using namespace skein;

constexpr uint64_t period = 1'000'000;  // ns
constexpr uint32_t threads = 8;

class ProfileMaker {
 public:
  Trace make(size_t samples) {
    trace_.info.format = sampled_format;
    trace_.info.clock = "nanoseconds";
    trace_.processes[0].pid = 1;
    for (uint32_t i = 0; i < threads; i++)
      trace_.executors.push_back({.name = trace_.strings.intern("server"), .tid = i + 1});
    for (const char* name : {"shop::session", "shop::answer", "shop::report", "shop::query"}) {
      trace_.locations.push_back({.function = trace_.strings.intern(name)});
      trace_.locations.push_back({.file = trace_.strings.intern("server.cc"),
                                  .function = trace_.strings.intern(name),
                                  .line = 10});
    }
    make_stacks();
    std::vector<TimedSample> all;
    for (size_t i = 0; i < samples; i++)
      all.push_back({.time = period * (1 + i / threads) + 1000 * (i % threads),
                     .executor = static_cast<uint32_t>(i % threads),
                     .stack = number(20'000),
                     .coroutines = chain(i / threads / 3 * threads + i % threads)});
    append_sampled_tasks(all, period, trace_);
    return std::move(trace_);
  }

 private:
  uint32_t number(uint32_t below) { return static_cast<uint32_t>(random_() % below); }

  // Shares their outer functions, as those of programs do.
  void make_stacks() {
    std::vector<StringId> names;
    for (int i = 0; i < 800; i++)
      names.push_back(trace_.strings.intern("library::work_" + std::to_string(i)));
    std::vector<StringId> outermost_first;
    for (uint32_t i = 0; i < 20'000; i++) {
      outermost_first.resize(std::min<size_t>(outermost_first.size(), number(30)));
      const size_t depth = 10 + number(31);
      while (outermost_first.size() < depth) outermost_first.push_back(names[number(800)]);
      std::vector<StackFrame> frames;
      for (size_t at = outermost_first.size(); at-- > 0;)
        frames.push_back({.function = outermost_first[at]});
      trace_.stacks.set_frames(trace_.stacks.add(i + 1), frames);
    }
  }

  // Of a request, which takes three samples. A thread has sessions that no other thread has.
  std::vector<SampledCoroutine> chain(size_t request) {
    const uint64_t session = 0x100000 + 0x1000 * (request % (25 * threads));
    std::vector<SampledCoroutine> coroutines;
    const uint32_t depth = 1 + static_cast<uint32_t>(request / 7 % 4);
    for (uint32_t level = depth; level-- > 0;)
      coroutines.push_back(
          {.frame = session + level, .function = 1 + 2 * level, .place = 2 + 2 * level});
    return coroutines;
  }

  Trace trace_;
  std::minstd_rand random_;
};

void write_copy(const Trace& trace, const std::string& directory) {
  std::filesystem::create_directories(directory);
  for (const CtfFile& file : export_ctf(trace, {}).files)
    std::ofstream(directory + "/" + file.name, std::ios::binary)
        .write(reinterpret_cast<const char*>(file.bytes.data()),
               static_cast<std::streamsize>(file.bytes.size()));
}

}  // namespace

int main(int argc, char** argv) {
  const auto samples = static_cast<size_t>(argc > 1 ? atol(argv[1]) : 1'000'000);
  const int rounds = argc > 2 ? atoi(argv[2]) : 9;
  Trace trace = ProfileMaker().make(samples);
  if (argc > 3) write_copy(trace, argv[3]);
  Viewer viewer;
  viewer.resize(1500, 900);
  viewer.add(std::move(trace), "profile");
  viewer.picture();
  viewer.flame().resize(700, 300);
  viewer.set_task_table_shown(true);
  printf("first\t%.1f\n", bench::milliseconds([&] { viewer.flame().picture(); }));
  printf("table\t%.1f\n", bench::milliseconds([&] { viewer.task_table(); }));

  const auto measure = [&](const char* what, const char* graph, auto&& select) {
    std::vector<double> of_graph, of_table, of_picture;
    std::string shown;
    for (int round = 0; round < rounds; round++) {
      select(round);
      of_table.push_back(bench::milliseconds([&] { viewer.task_table(); }));
      of_graph.push_back(bench::milliseconds([&] { viewer.flame().picture(); }));
      of_picture.push_back(bench::milliseconds([&] { viewer.picture(); }));
      viewer.flame().pointer_move(5, 295);
      shown = viewer.flame().tooltip();
      shown = shown.substr(shown.find('\n') + 1);
      shown = shown.substr(0, shown.find(", 100"));
    }
    printf("select\t%s\t%s\t%s\t%.1f\t%.1f\t%.1f\n", what, graph, shown.c_str(),
           bench::median_of(of_graph), bench::median_of(of_table), bench::median_of(of_picture));
  };
  const auto of_range = [&](int round) {
    // From the time axis, a drag measures.
    viewer.pointer_down(static_cast<float>(100 + round), 5, {.shift = true});
    viewer.pointer_move(static_cast<float>(1400 - round), 5);
    viewer.pointer_up(static_cast<float>(1400 - round), 5);
  };
  const auto of_task = [&](int round) { viewer.select(0, static_cast<TaskIndex>(round)); };
  const auto of_search = [&](int round) { viewer.search(round % 2 == 0 ? "query" : "report"); };
  const auto of_frame = [&](int round) {
    viewer.flame().key(round % 2 == 0 ? "ArrowUp" : "Escape");
    viewer.flame().key("Enter");
  };
  for (const auto& [graph, time] :
       {std::pair("logical", FlameTime::Cpu), std::pair("physical", FlameTime::Physical),
        std::pair("running", FlameTime::Running)}) {
    viewer.flame().set_time(time);
    measure("range", graph, of_range);
    viewer.run(Command::Escape);
    viewer.run(Command::Escape);
    measure("task", graph, of_task);
    viewer.select(0, no_index);
    measure("search", graph, of_search);
    viewer.search("");
    measure("frame", graph, of_frame);
    viewer.run(Command::Escape);
  }
}
