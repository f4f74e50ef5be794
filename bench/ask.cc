// The cost of the analyses why, doctor, critical and stats, excluding loading the trace.
//
//   bench_ask TRACE ROUNDS     or "programs" instead of TRACE: a million events of random programs
//                              with locks, conditions, timers, and a defect in each
//
// Prints the number of events, then the name and the median CPU ms of each step. "floor" is one
// pass over the columns: a lower bound for every analysis that reads all events.
#include <cstring>

#include "bench/stages.h"
#include "trace/ask/critical.h"
#include "trace/ask/doctor/doctor.h"
#include "trace/ask/logical_times.h"
#include "trace/ask/random_program.h"
#include "trace/ask/selected_times.h"
#include "trace/ask/stats.h"
#include "trace/ask/why.h"

namespace {

using namespace skein;

// Concatenates random programs; each has its own tasks.
Trace programs(size_t events) {
  Trace all;
  all.info.format = "skein";
  TaskId ids = 0;
  uint64_t time = 0;
  for (uint32_t seed = 1; all.events.size() < events; seed++) {
    const auto fault = static_cast<RandomProgram::Fault>(seed % RandomProgram::faults);
    const RandomProgram program(seed, fault);
    if (seed == 1) {
      all.executors = program.trace.executors;
      all.locations = program.trace.locations;
    }
    all.kinds.clear();
    for (const StringId kind : program.trace.kinds)
      all.kinds.push_back(all.strings.intern(program.trace.strings[kind]));
    TaskId most = 0;
    uint64_t end = 0;
    program.trace.events.for_each([&](EventRow event) {
      for (TaskId* id : {&event.task, &event.other})
        if (*id != no_task) {
          most = std::max(most, *id);
          *id += ids;
        }
      end = std::max(end, event.time);
      event.time += time;
      event.text = all.strings.intern(program.trace.strings[event.text]);
      all.events.append(event);
    });
    ids += most + 1;
    time += end;
  }
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    fputs("usage: bench_ask TRACE|programs ROUNDS\n", stderr);
    return 2;
  }
  const Trace trace =
      std::strcmp(argv[1], "programs") == 0 ? programs(1'000'000) : bench::trace_or_exit(argv[1]);
  const int rounds = atoi(argv[2]);
  const Model model = build_model(trace, {.simplify = false});
  const Waits waits = find_waits(trace, model);
  printf("events\t%zu\n", trace.events.size());
  const auto step = [&](const char* name, const auto& work) {
    printf("%s\t%.2f\n", name, bench::median_ms(rounds, work));
  };
  step("floor", [&] {
    uint64_t sum = 0;
    trace.events.for_each([&](const EventRow& event) {
      sum +=
          event.time + event.task + event.other + event.value + static_cast<uint64_t>(event.kind);
    });
    bench::keep(sum);
  });
  step("waits", [&] { bench::keep(find_waits(trace, model).waits.size()); });
  step("why", [&] { bench::keep(diagnose_all(trace, model, waits).size()); });
  step("doctor", [&] { bench::keep(examine(trace, model, waits).size()); });
  step("doctor --strict",
       [&] { bench::keep(examine(trace, model, waits, {.strict = true}).size()); });
  step("critical", [&] {
    bench::keep(
        critical_path(trace, model, waits, current_at(model, model.end), 0, model.end).size());
  });
  step("stats", [&] { bench::keep(task_groups(trace, model, waits, GroupBy::Name).size()); });
  const Subject subject{trace, model, waits};
  const LogicalTimes times = find_logical_times(subject);
  step("logical times", [&] { bench::keep(find_logical_times(subject).intervals.size()); });
  const LogicalSelection::States all{.running = true, .ready = true, .suspended = true};
  step("await graph",
       [&] { bench::keep(logical_tree(subject, times, {.states = all}).nodes.size()); });
  step("await graph at once",
       [&] { bench::keep(find_selected_times(subject, {.states = all}).tree.nodes.size()); });
  step("await graph by thread", [&] {
    bench::keep(logical_tree(subject, times, {.states = all, .by = StacksBy::Thread}).nodes.size());
  });
}
