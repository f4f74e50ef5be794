#include "profile/trace/thread_switches.h"

#include <doctest/doctest.h>

#include <string>

using namespace skein;

namespace {

class SwitchScript {
 public:
  void out(uint32_t tid, uint64_t time, bool is_preempted = false) {
    PerfRecord record;
    record.type = PerfRecord::Type::Switch;
    record.tid = tid;
    record.time = time;
    record.is_out = true;
    record.is_preempted = is_preempted;
    switches.add(record);
  }
  void in(uint32_t tid, uint64_t time) {
    PerfRecord record;
    record.type = PerfRecord::Type::Switch;
    record.tid = tid;
    record.time = time;
    record.cpu = 3;
    switches.add(record);
  }
  void exit(uint32_t tid, uint64_t time) {
    PerfRecord record;
    record.type = PerfRecord::Type::Exit;
    record.tid = tid;
    record.time = time;
    switches.add(record);
  }
  ThreadSwitches switches;
};

std::string text(const std::vector<ThreadStateChange>& changes) {
  std::string text;
  for (const ThreadStateChange& one : changes)
    text += std::to_string(one.time) + ":" + std::to_string(one.tid) + "=" +
            std::to_string(static_cast<int>(one.state)) +
            (one.state == ThreadState::Stack ? "(" + std::to_string(one.other) + ")" : "") + " ";
  return text;
}

}  // namespace

TEST_CASE("waits that context switches confirm have their stacks at the switch") {
  SwitchScript s;
  s.in(7, 10);
  s.out(7, 21);
  s.in(8, 25);
  s.in(7, 30);
  s.out(7, 41, true);
  s.in(7, 50);
  s.exit(7, 60);
  s.out(7, 61);  // for the last time
  s.out(8, 70);
  ThreadWait wait{.tid = 7, .begin = 20, .end = 30, .stack = 5};
  CHECK(s.switches.place(wait));
  CHECK(wait.begin == 21);
  CHECK_FALSE(wait.is_preempted);
  ThreadWait preempted{.tid = 7, .begin = 40, .end = 50, .stack = 6};
  CHECK(s.switches.place(preempted));
  CHECK(preempted.is_preempted);
  ThreadWait last{.tid = 8, .begin = 69, .end = 1000, .stack = 7};  // until the recording ends
  CHECK(s.switches.place(last));
  CHECK(text(s.switches.changes({wait, preempted, last})) ==
        "10:7=1 21:7=3 21:7=7(5) 25:8=1 30:7=1 41:7=2 41:7=7(6) 50:7=1 60:7=5 70:8=3 70:8=7(7) ");
  CHECK(s.switches.changes({})[0].cpu == 4);
}

TEST_CASE("waits without their switches") {
  SwitchScript s;
  s.in(7, 10);
  s.out(7, 20);
  s.in(7, 30);
  const auto place = [&](uint32_t tid, uint64_t begin, uint64_t end) {
    ThreadWait wait{.tid = tid, .begin = begin, .end = end};
    return s.switches.place(wait);
  };
  CHECK(place(7, 15, 30));
  CHECK_FALSE(place(7, 15, 31));  // the sum of several, as perf writes it
  CHECK_FALSE(place(7, 21, 30));
  CHECK_FALSE(place(7, 5, 30));
  CHECK_FALSE(place(7, 30, 40));
  CHECK_FALSE(place(8, 15, 30));
  CHECK(ThreadSwitches().empty());
}
