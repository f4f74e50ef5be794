#include "profile/trace/joined_samples.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "base/disk_files.h"
#include "profile/perf/perf_writer.h"

using namespace skein;

namespace {

// A perf.data of process 5 and another one.
class Samples {
 public:
  Samples() {
    close(mkstemp(path.data()));
    perf_event_attr attribute = {};
    attribute.size = sizeof attribute;
    attribute.type = PERF_TYPE_SOFTWARE;
    attribute.config = PERF_COUNT_SW_CPU_CLOCK;
    attribute.sample_period = 1'000'000;
    attribute.sample_id_all = 1;
    Result<PerfWriter> made = PerfWriter::create(path, attribute);
    REQUIRE(made);
    writer.emplace(std::move(*made));
  }
  ~Samples() { unlink(path.c_str()); }
  Samples(const Samples&) = delete;
  Samples& operator=(const Samples&) = delete;

  void add(uint64_t time, uint32_t pid, uint32_t tid, std::optional<uint64_t> task) {
    PerfRecord record;
    record.mode = 2;
    record.address = 0x1001;
    record.pid = pid;
    record.tid = tid;
    record.time = time;
    record.period = 1;
    LogicalSample noted;
    noted.task = task;
    writer->add_sample(record, {}, noted);
  }

  // The trace begins at 1000 of the samples' clock.
  JoinedSamples join(Trace& trace) {
    REQUIRE(writer->finish());
    DiskFiles files;
    const Result<Contents> contents = files.open(path);
    REQUIRE(contents);
    const auto time_of_trace = [](uint64_t time) {
      return time < 1000 ? std::nullopt : std::optional(time - 1000);
    };
    const auto joined =
        join_samples(contents->bytes(), path, files, {}, 5, time_of_trace, numbers, trace);
    REQUIRE(joined);
    return *joined;
  }

  std::string path = "/tmp/skein-joined-samples-XXXXXX";
  std::optional<PerfWriter> writer = {};
  ThreadNumbers numbers = {};
};

Trace trace_of_task() {
  Trace trace;
  trace.info.format = "skein";
  trace.executors.push_back({.tid = 50});
  trace.events.append({.time = 0, .task = 7, .kind = EventKind::Create});
  trace.events.append({.time = 100, .task = 7, .kind = EventKind::Resume});
  trace.events.append({.time = 200, .task = 7, .kind = EventKind::Suspend});
  trace.awaited_objects.push_back({.event = 2, .address = 0x77});
  trace.events.append({.time = 300, .task = 7, .kind = EventKind::Resolve});
  return trace;
}

}  // namespace

TEST_CASE("samples of a process are joined with its trace") {
  Samples samples;
  samples.add(900, 5, 50, 7);   // before it begins
  samples.add(1100, 6, 60, 7);  // another process
  samples.add(1150, 5, 50, 7);
  samples.add(1120, 5, 50, {});  // the thread had gone on
  samples.add(1250, 5, 50, {});
  samples.add(1160, 5, 51, 0);   // a thread that has recorded nothing
  samples.add(1500, 5, 50, 99);  // a task that the trace does not have
  Trace trace = trace_of_task();
  const JoinedSamples joined = samples.join(trace);
  CHECK(joined.added == 5);
  CHECK(joined.outside == 2);
  CHECK(joined.looked_up == 1);
  REQUIRE(trace.executors.size() == 2);
  CHECK(trace.executors[1].tid == 51);
  std::vector<std::pair<uint64_t, TaskId>> found;
  trace.events.for_each([&](const EventRow& event) {
    if (event.kind == EventKind::Sample) found.emplace_back(event.time, event.task);
  });
  const std::vector<std::pair<uint64_t, TaskId>> expected = {
      {120, 7}, {150, 7}, {160, no_task}, {250, no_task}, {500, no_task}};
  CHECK(found == expected);
  // The others are where they were, and what the suspension concerns is known.
  CHECK(trace.events.size() == 9);
  REQUIRE(trace.awaited_objects.size() == 1);
  const EventRow suspend = trace.events.row(trace.awaited_objects[0].event);
  CHECK(suspend.kind == EventKind::Suspend);
  CHECK(suspend.time == 200);
  for (size_t i = 1; i < trace.events.size(); i++)
    CHECK(trace.events.row(i - 1).time <= trace.events.row(i).time);
}

TEST_CASE("threads of a process in a pid namespace have other numbers in its trace") {
  Samples samples;
  samples.numbers = {{4711, 50}, {4712, 51}};
  samples.add(1150, 5, 4711, 7);
  samples.add(1160, 5, 4711, {});
  samples.add(1170, 5, 4712, 0);
  Trace trace = trace_of_task();
  const JoinedSamples joined = samples.join(trace);
  CHECK(joined.looked_up == 1);
  REQUIRE(trace.executors.size() == 2);
  CHECK(trace.executors[1].tid == 51);
  std::vector<std::pair<uint32_t, TaskId>> found;
  trace.events.for_each([&](const EventRow& event) {
    if (event.kind == EventKind::Sample) found.emplace_back(event.executor, event.task);
  });
  CHECK(found == std::vector<std::pair<uint32_t, TaskId>>{{0, 7}, {0, 7}, {1, no_task}});
}
