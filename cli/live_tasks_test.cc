#include "cli/live_tasks.h"

#include <doctest/doctest.h>

using namespace skein;
using namespace skein::cli;

namespace {

// A trace told event by event, ten nanoseconds apart.
struct Teller {
  Teller() {
    trace.executors.push_back({.name = 0, .tid = 100, .stream = 0});
    trace.kinds = {trace.strings.intern("mutex")};
    trace.locations.push_back({.file = trace.strings.intern("src/a.cc"),
                               .function = trace.strings.intern("void net::serve(int)"),
                               .line = 7,
                               .column = 1});
  }

  void say(EventKind kind, TaskId task, TaskId other = no_task, uint64_t value = UINT64_MAX,
           std::string_view text = "", uint32_t location = 0) {
    trace.events.append({.time = 10 * trace.events.size(),
                         .task = task,
                         .other = other,
                         .value = value,
                         .text = trace.strings.intern(text),
                         .location = location,
                         .kind = kind});
  }

  LiveTask alive(TaskId id) {
    for (const LiveTask& task : live_tasks_of(trace).tasks)
      if (task.id == id) return task;
    return {};
  }

  Trace trace;
};

}  // namespace

TEST_CASE("what ended is not alive, however it ended") {
  Teller t;
  for (TaskId id = 1; id <= 5; id++) t.say(EventKind::Create, id);
  t.say(EventKind::Resolve, 1);
  t.say(EventKind::Fail, 2);
  t.say(EventKind::Cancel, 3);
  t.say(EventKind::Become, 4, 5);
  const LiveTasks live = live_tasks_of(t.trace);
  REQUIRE(live.tasks.size() == 1);
  CHECK(live.tasks[0].id == 5);
  CHECK(live.tasks[0].state == "created");
  CHECK(live.tasks[0].for_ns == 40);
}

TEST_CASE("where a task waits, since when, on what") {
  Teller t;
  t.say(EventKind::Create, 1, no_task, UINT64_MAX, "", 1);
  t.say(EventKind::Create, 2, 1);
  t.say(EventKind::Resume, 1);
  t.say(EventKind::Suspend, 1, 2, 0, "", 1);  // at 30
  t.say(EventKind::Label, 2, no_task, 0, "the answer");
  CHECK(t.alive(1).name == "net::serve");
  CHECK(t.alive(1).state == "suspended");
  CHECK(t.alive(1).on == 2);
  CHECK(t.alive(1).since_ns == 30);
  CHECK(t.alive(1).at == "net::serve a.cc:7");
  CHECK(t.alive(1).thread == "100");
  CHECK(t.alive(2).name == "the answer");
  CHECK(t.alive(2).parent == 1);
  t.say(EventKind::Resume, 1, 2);
  CHECK(t.alive(1).state == "running");
  CHECK(t.alive(1).on == 0);
  CHECK(t.alive(1).waker == 2);
}

TEST_CASE("who waits for a task waits for what it became") {
  Teller t;
  t.say(EventKind::Create, 1);
  t.say(EventKind::Suspend, 1, 2, 0);
  t.say(EventKind::Become, 2, 3);
  t.say(EventKind::Become, 3, 4);
  CHECK(t.alive(1).on == 4);
  t.say(EventKind::Become, 4, 2);  // damage: a circle
  CHECK(t.alive(1).state == "suspended");
}

TEST_CASE("a resource and its holder") {
  Teller t;
  t.say(EventKind::Create, 1);
  t.say(EventKind::Resource, 1, 30, 0, "cache lock");
  t.say(EventKind::Acquire, 1, 30);
  CHECK(t.alive(30).state == "resource");
  CHECK(t.alive(30).kind == "mutex");
  CHECK(t.alive(30).name == "cache lock");
  CHECK(t.alive(30).on == 1);
  t.say(EventKind::Release, 1, 30);
  CHECK(t.alive(30).on == 0);
  t.say(EventKind::Resolve, 30, 1);
  CHECK(t.alive(30).id == 0);
}

TEST_CASE("nonsense in a damaged trace") {
  Teller t;
  t.say(EventKind::Acquire, 1, no_task);
  t.say(EventKind::SwitchTo, no_task);
  t.say(EventKind::Await, 9, 9);
  t.say(EventKind::Label, 8, no_task, 0, "never created");
  CHECK(live_tasks_of(t.trace).tasks.empty());
}
