#include "trace/read/ctf/task_table.h"

#include <doctest/doctest.h>

#include "trace/read/ctf/test_directory.h"

using namespace skein;
using namespace skein::ctf;

namespace {

// A ring's table: the coroutine 10, which has waited for the resource 11 since before the trace;
// and 12.
TaskTableSnapshot table_of_ring() {
  TaskTableSnapshot table;
  table.ring_bytes = 4096;
  table.tasks.push_back({.id = 10,
                         .parent = 9,
                         .on = 11,
                         .since = 900,
                         .place = 1,
                         .at = 1,
                         .label = 2,
                         .tid = 77,
                         .state = format::TaskState::kSuspended,
                         .should_resolve = true});
  table.tasks.push_back(
      {.id = 11, .on = 12, .since = 1'100, .state = format::TaskState::kResource});
  table.tasks.push_back({.id = 12, .since = 1'100, .state = format::TaskState::kRunning});
  return table;
}

}  // namespace

TEST_CASE("the task table returns the rows whose lock does not change") {
  std::vector<uint8_t> bytes(format::kTableHeaderSize + 4 * sizeof(format::TaskRow));
  format::TaskTableHeader header{};
  header.magic = format::kTableMagic;
  header.version = format::kVersion;
  header.row_size = sizeof(format::TaskRow);
  header.rows = 1000;
  header.rows_used = 4;
  header.pid = 7;
  header.lost[format::kLoss_no_memory] = 5;
  std::memcpy(bytes.data(), &header, sizeof header);
  const auto put = [&](size_t index, const format::TaskRow& row) {
    std::memcpy(bytes.data() + format::kTableHeaderSize + index * sizeof row, &row, sizeof row);
  };
  format::TaskRow row{};
  row.seq = 2;
  row.id = 9;
  row.state = format::TaskState::kSuspended;
  row.on = 5;
  put(0, row);
  row.seq = 3;  // its writer was killed while writing
  row.id = 10;
  put(1, row);
  row.seq = 4;
  row.id = 2;
  put(3, row);
  MemoryFiles files;
  files.add("t/.tasks", bytes);
  const auto table = read_task_table(files, "t/.tasks");
  REQUIRE(table);
  CHECK(table->pid == 7);
  REQUIRE(table->tasks.size() == 2);
  CHECK(table->tasks[0].id == 2);
  CHECK(table->tasks[1].on == 5);
  CHECK(table->unstable == 1);
  CHECK(table->lost[format::kLoss_no_memory] == 5);

  files.add("t/.tasks", std::vector<uint8_t>(100));
  CHECK(!read_task_table(files, "t/.tasks"));
}

TEST_CASE_FIXTURE(Fixture, "the task table of a ring adds tasks older than its packets") {
  add_names();
  StreamWriter stream({.uuid = uuid, .stream = 0, .chunk_size = 1024, .first_sequence = 7});
  stream.tid = 3;
  stream.event(format::k_resume, 1'000, 13);
  stream.event(format::k_suspend, 1'010, 11, 0);
  add("s0-", stream);
  files.add("t/.tasks", encode(table_of_ring()));
  const Trace trace = read();
  REQUIRE(trace.live_tasks.size() == 3);
  const LiveTaskEntry& entry = trace.live_tasks[0];
  CHECK(entry.id == 10);
  CHECK(entry.parent == 9);
  CHECK(entry.on == 11);
  CHECK(entry.since == -1'000);  // ns
  CHECK(entry.state == LiveTaskEntry::State::Suspended);
  CHECK(entry.should_resolve);
  CHECK(trace.strings[entry.name] == "session");
  CHECK(trace.strings[entry.label] == "function");
  CHECK(entry.kind == format::kKind_coroutine);
  CHECK(trace.locations[entry.location].line == 7);
  CHECK(entry.at == entry.location);
  REQUIRE(entry.executor < trace.executors.size());
  CHECK(trace.executors[entry.executor].tid == 77);
  CHECK(trace.live_tasks[1].since == 1'000);
  CHECK(trace.live_tasks[1].state == LiveTaskEntry::State::Resource);
  CHECK(trace.live_tasks[2].on == no_task);
  CHECK(trace.find_live_task(12) == &trace.live_tasks[2]);
  CHECK(trace.find_live_task(13) == nullptr);
  // Only the table shows that 11 is not a task.
  REQUIRE(trace.events.kind[1] == EventKind::Suspend);
  CHECK(trace.events.value[1] == 1);
}

TEST_CASE_FIXTURE(Fixture, "the task table is ignored if the ring has overwritten nothing") {
  StreamWriter stream({.uuid = uuid, .stream = 0, .chunk_size = 1024});
  stream.event(format::k_suspend, 1'010, 11, 0);
  add("s0-", stream);
  files.add("t/.tasks", encode(table_of_ring()));
  const Trace trace = read();
  CHECK(trace.live_tasks.empty());
  CHECK(trace.events.value[0] == 0);
  TaskTableSnapshot log = table_of_ring();
  log.ring_bytes = 0;
  files.add("t/.tasks", encode(log));
  CHECK(!read_ring_tasks(files, "t"));
}

TEST_CASE("intersect_tasks() keeps the rows that are in both tables") {
  MemoryFiles files;
  TaskTableSnapshot before = table_of_ring();
  files.add("t/.tasks", encode(before));
  auto after = read_ring_tasks(files, "t");
  REQUIRE(after);
  CHECK(encode(*after) == encode(before));
  before.tasks.erase(before.tasks.begin() + 1);  // 11 is new
  before.tasks.push_back({.id = 99, .state = format::TaskState::kRunning});
  after->tasks[0].on = 12;
  intersect_tasks(*after, before);
  REQUIRE(after->tasks.size() == 2);
  CHECK(after->tasks[0].id == 10);
  CHECK(after->tasks[0].on == 12);
  CHECK(after->tasks[1].id == 12);
}
