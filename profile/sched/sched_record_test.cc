#include "profile/sched/sched_record.h"

#include <doctest/doctest.h>
#include <linux/perf_event.h>

#include <vector>

#include "profile/sched/thread_tracker.h"

using namespace skein;

namespace {

using Kind = SchedRecord::Kind;

struct Bytes {
  std::vector<uint8_t> all;
  Bytes& put(uint64_t number, unsigned width) {
    for (unsigned i = 0; i < width; i++) all.push_back(static_cast<uint8_t>(number >> 8 * i));
    return *this;
  }
  Bytes& u32(uint32_t number) { return put(number, 4); }
  Bytes& u64(uint64_t number) { return put(number, 8); }
};

std::vector<uint8_t> record(uint32_t type, uint16_t misc, const Bytes& body, uint32_t tid = 7,
                            uint64_t time = 100) {
  Bytes bytes;
  bytes.u32(type).put(misc, 2).put(8 + body.all.size() + 24, 2);
  bytes.all.insert(bytes.all.end(), body.all.begin(), body.all.end());
  bytes.u32(5).u32(tid).u64(time).u32(3).u32(0);
  return bytes.all;
}

std::vector<SchedChange> changes(const std::vector<SchedRecord>& records) {
  ThreadTracker tracker(5, {7}, [](uint32_t tid) { return "name " + std::to_string(tid); });
  for (const SchedRecord& one : records) tracker.add(one);
  std::vector<SchedChange> found;
  tracker.take_until(UINT64_MAX, [&](const SchedChange& change) { found.push_back(change); });
  return found;
}

}  // namespace

TEST_CASE("a switch has its thread, time and processor, and with a CPU's event the next thread") {
  const auto in = decode_sched_record(record(PERF_RECORD_SWITCH, 0, {}), {});
  REQUIRE(in);
  CHECK(in->kind == Kind::In);
  CHECK(in->pid == 5);
  CHECK(in->tid == 7);
  CHECK(in->time == 100);
  CHECK(in->cpu == 4);
  constexpr uint16_t out = PERF_RECORD_MISC_SWITCH_OUT;
  CHECK(decode_sched_record(record(PERF_RECORD_SWITCH, out, {}), {})->kind == Kind::Blocked);
  const auto preempted =
      decode_sched_record(record(PERF_RECORD_SWITCH_CPU_WIDE,
                                 out | PERF_RECORD_MISC_SWITCH_OUT_PREEMPT, Bytes().u32(9).u32(10)),
                          {});
  REQUIRE(preempted);
  CHECK(preempted->kind == Kind::Preempted);
  CHECK(preempted->other == 10);
  // Of another pid namespace.
  CHECK(decode_sched_record(
            record(PERF_RECORD_SWITCH_CPU_WIDE, out, Bytes().u32(UINT32_MAX).u32(UINT32_MAX)), {})
            ->other == 0);
}

TEST_CASE("records that are cut short or unknown are none") {
  const std::vector<uint8_t> whole = record(PERF_RECORD_LOST, 0, Bytes().u64(1).u64(12));
  CHECK(decode_sched_record(whole, {})->lost == 12);
  for (size_t size = 0; size < whole.size(); size++)
    CHECK(!decode_sched_record(std::span(whole).first(size), {}));
  CHECK(!decode_sched_record(record(PERF_RECORD_MMAP2, 0, Bytes().u64(1)), {}));
}

TEST_CASE("where sched_waking has the thread") {
  const auto layout = read_waking_format(
      "\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
      "\tfield:pid_t pid;\toffset:28;\tsize:4;\tsigned:1;\n");
  REQUIRE(layout);
  CHECK(layout->thread == 28);
  CHECK(!read_waking_format(""));
  CHECK(!read_waking_format("field:pid_t pid;\n offset:3;"));
}

TEST_CASE("states follow from records of several processors, in order of time") {
  const auto found = changes({
      {.kind = Kind::Preempted, .pid = 5, .tid = 7, .time = 20, .cpu = 1, .other = 30},
      {.kind = Kind::Named, .pid = 31, .tid = 31, .time = 5, .name = "rival"},
      {.kind = Kind::In, .pid = 5, .tid = 7, .time = 10, .cpu = 1},
      {.kind = Kind::In, .pid = 6, .tid = 8, .time = 11, .cpu = 1},  // another process
      {.kind = Kind::In, .pid = 5, .tid = 7, .time = 30, .cpu = 2},
      {.kind = Kind::Preempted, .pid = 5, .tid = 7, .time = 40, .cpu = 2, .other = 31},
      {.kind = Kind::In, .pid = 5, .tid = 7, .time = 50, .cpu = 2},
      {.kind = Kind::Woken, .tid = 7, .time = 55, .other = 9},  // it runs
      {.kind = Kind::Blocked, .pid = 5, .tid = 7, .time = 60, .cpu = 2},
      {.kind = Kind::Woken, .tid = 7, .time = 70, .other = 9},
      {.kind = Kind::Woken, .tid = 8, .time = 71, .other = 9},
      {.kind = Kind::In, .pid = 5, .tid = 7, .time = 80, .cpu = 2},
      {.kind = Kind::Ended, .pid = 5, .tid = 7, .time = 90, .cpu = 2},
      {.kind = Kind::Blocked, .pid = 5, .tid = 7, .time = 91, .cpu = 2},
  });
  using enum ThreadState;
  const std::vector<std::pair<uint64_t, ThreadState>> expected = {
      {10, Running}, {20, Preempted}, {30, Running}, {40, Preempted}, {50, Running},
      {60, Blocked}, {70, Runnable},  {80, Running}, {90, Ended}};
  REQUIRE(found.size() == expected.size());
  for (size_t i = 0; i < expected.size(); i++) {
    CHECK(found[i].time == expected[i].first);
    CHECK(found[i].state == expected[i].second);
    CHECK(found[i].tid == 7);
  }
  CHECK(found[1].text == "name 30");
  CHECK(found[3].text == "rival");
  CHECK(found[6].other == 9);
}

TEST_CASE("after lost records the states of all threads are unknown") {
  ThreadTracker tracker(5, {7}, [](uint32_t) { return ""; });
  tracker.add({.kind = Kind::In, .pid = 5, .tid = 7, .time = 10});
  tracker.add({.kind = Kind::Lost, .time = 20, .lost = 3});
  tracker.add({.kind = Kind::Woken, .tid = 7, .time = 30, .other = 9});
  std::vector<SchedChange> found;
  tracker.take_until(UINT64_MAX, [&](const SchedChange& change) { found.push_back(change); });
  REQUIRE(found.size() == 2);
  CHECK(found[1].tid == 0);
  CHECK(found[1].state == ThreadState::Unknown);
  CHECK(tracker.lost() == 3);
  CHECK(tracker.switches() == 1);
}

TEST_CASE("the kernel's function belongs to the wait in which it was read") {
  const std::vector<SchedRecord> blocked = {
      {.kind = Kind::Blocked, .pid = 5, .tid = 7, .time = 10},
      {.kind = Kind::Function, .pid = 5, .tid = 7, .time = 20, .since = 15, .name = "ep_poll"}};
  REQUIRE(changes(blocked).size() == 2);
  CHECK(changes(blocked)[1].text == "ep_poll");
  std::vector<SchedRecord> ran = blocked;
  ran.push_back({.kind = Kind::In, .pid = 5, .tid = 7, .time = 16});
  ran.push_back({.kind = Kind::Blocked, .pid = 5, .tid = 7, .time = 18});
  CHECK(changes(ran).size() == 3);
}
