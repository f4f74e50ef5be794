#include "trace/ask/held_objects.h"

#include <doctest/doctest.h>

#include "trace/ask/object_example.h"

using namespace skein;

namespace {

// Tasks 1 to 15 come at 0 and await the object. Each passes when the one before has ended `load`, a
// wait for a task of 10 ms that it starts after it passed; or, with `is_early`, when that begins.
std::string crowd_at(bool is_early) {
  constexpr int tasks = 15;
  std::string events;
  const auto add = [&](int ms, const std::string& event, int task, const std::string& rest = "") {
    events += std::to_string(ms) + (ms == 0 ? " " : "000000 ") + event + ' ' +
              std::to_string(task) + rest + '\n';
  };
  for (int task = 1; task <= tasks; task++) add(0, "create", task, " as coroutine get");
  add(0, "resume", 1);
  add(0, "ready", 1);
  for (int task = 2; task <= tasks; task++) {
    if (task == 2) {
      add(0, "create", 101, " by 1 as coroutine load");
      add(0, "suspend", 1, " on 101");
    }
    add(0, "resume", task);
    add(0, "suspend", task);
  }
  for (int task = 1; task < tasks; task++) {
    const int now = 10 * task;
    const auto starts_next = [&] {
      add(now, "resume", task + 1);
      add(now, "create", 101 + task, " by " + std::to_string(task + 1) + " as coroutine load");
      add(now, "suspend", task + 1, " on " + std::to_string(101 + task));
    };
    if (is_early) starts_next();
    const int end = is_early ? now + 5 : now;
    add(end, "resolve", 100 + task);
    add(end, "resume", task, " by " + std::to_string(100 + task));
    add(end, "resolve", task);
    if (!is_early) starts_next();
  }
  return events;
}

std::vector<HeldObject> held(const std::string& events, std::string_view type) {
  ObjectExample run(events, type);
  for (Waits::Wait& wait : run.waits.waits) wait.location = wait.on == no_index ? 1 : 2;
  return find_held_objects(run.subject());
}

}  // namespace

TEST_CASE("an object that each task leaves after another wait") {
  const std::vector<HeldObject> found = held(crowd_at(false), "Mutex::lock()::Awaiter");
  REQUIRE(found.size() == 1);
  CHECK(found[0].address == 0x10);
  CHECK(found[0].count == 14);
  CHECK(found[0].others == 14);
  CHECK(found[0].waited == uint64_t{10'000'000} * (14 * 15 / 2));
  CHECK(found[0].is_lock);
  CHECK(!held(crowd_at(false), "Gate")[0].is_lock);
  CHECK(!held(crowd_at(false), "Channel<int, std::mutex>")[0].is_lock);
}

TEST_CASE("an object that tasks pass while others wait") {
  CHECK(held(crowd_at(true), "Mutex::lock()::Awaiter").empty());
  CHECK(held(crowd_at(false), "Loop::sleep(int)::Awaiter").empty());  // each for another condition
}
