#include "trace/ask/live_tasks.h"

#include <doctest/doctest.h>

#include <map>
#include <string>

#include "trace/model/names.h"

using namespace skein;

namespace {

// Builds a trace event by event, ten nanoseconds apart.
struct TraceMaker {
  TraceMaker() {
    trace.info.format = "skein";
    trace.executors.push_back({.name = 0, .tid = 100, .stream = 0});
    trace.kinds = {trace.strings.intern("mutex")};
    trace.locations.push_back({.file = trace.strings.intern("src/a.cc"),
                               .function = trace.strings.intern("void net::serve(int)"),
                               .line = 7,
                               .column = 1});
  }

  void add(EventKind kind, TaskId task, TaskId other = no_task, uint64_t value = UINT64_MAX,
           std::string_view text = "", uint32_t location = 0) {
    trace.events.append({.time = 10 * trace.events.size(),
                         .task = task,
                         .other = other,
                         .value = value,
                         .text = trace.strings.intern(text),
                         .location = location,
                         .kind = kind});
  }

  // The live tasks by id; targets and wakers are ids.
  struct Live {
    TaskState state = TaskState::Ended;
    int64_t since = 0;
    TaskId target = no_task;
    TaskId waker = no_task;
    std::string location, name;
    uint32_t executor = 0;
  };
  std::map<TaskId, Live> all() const {
    const Model model = build_model(trace, {.simplify = false});
    const Waits waits = find_waits(trace, model);
    const auto id = [&](TaskIndex task) {
      return task == no_index ? no_task : model.tasks[task].id;
    };
    std::map<TaskId, Live> found;
    for (const LiveTask& live : find_live_tasks({trace, model, waits})) {
      found[id(live.task)] = {live.state,
                              live.since,
                              id(live.target),
                              id(live.waker),
                              location_text(trace, live.location),
                              task_name(trace, model.tasks[live.task]),
                              live.executor};
      const LiveTask alone = live_task({trace, model, waits}, live.task);
      CHECK(alone.state == live.state);
      CHECK(alone.since == live.since);
      CHECK(alone.executor == live.executor);
    }
    return found;
  }
  Live live(TaskId id) const {
    const auto found = all();
    return found.contains(id) ? found.at(id) : Live{};
  }

  Trace trace;
};

}  // namespace

TEST_CASE("a new task with the id of an ended one has none of its waits") {
  TraceMaker t;
  for (TaskId id = 1; id <= 3; id++) t.add(EventKind::Create, id);
  t.add(EventKind::Resume, 1);
  t.add(EventKind::Suspend, 1, 3);
  t.add(EventKind::Cancel, 1);
  t.add(EventKind::Become, 2, 3);
  t.add(EventKind::Create, 1);
  t.add(EventKind::Create, 2);
  t.add(EventKind::Resume, 2);
  CHECK(t.live(1).state == TaskState::Created);
  CHECK(t.live(1).target == no_task);
  CHECK(t.live(2).state == TaskState::Running);
  CHECK(t.live(3).state == TaskState::Created);
  const Model model = build_model(t.trace, {.simplify = false});
  CHECK(find_waits(t.trace, model).open(model.find(1)) == nullptr);
}

TEST_CASE("a scope that was exited does not wait") {
  for (const EventKind end : {EventKind::ScopeExit, EventKind::ScopeCancel}) {
    TraceMaker t;
    for (TaskId id = 1; id <= 2; id++) t.add(EventKind::Create, id);
    t.add(EventKind::ScopeEnter, 1, 5);
    t.add(EventKind::Suspend, 5, 2);
    t.add(end, 1, 5);
    CHECK(t.live(5).state == TaskState::Ended);
    const Model model = build_model(t.trace, {.simplify = false});
    CHECK(find_waits(t.trace, model).open(model.find(5)) == nullptr);
  }
}

TEST_CASE("a task that ended is not live, however it ended") {
  TraceMaker t;
  for (TaskId id = 1; id <= 5; id++) t.add(EventKind::Create, id);
  t.add(EventKind::Resolve, 1);
  t.add(EventKind::Fail, 2);
  t.add(EventKind::Cancel, 3);
  t.add(EventKind::Become, 4, 5);
  REQUIRE(t.all().size() == 1);
  CHECK(t.live(5).state == TaskState::Created);
  CHECK(t.live(5).since == 40);
  t.add(EventKind::Resolve, 4);  // applies to its successor 5
  CHECK(t.all().empty());
}

TEST_CASE("a task runs since the last event that resumed it") {
  TraceMaker t;
  t.add(EventKind::Create, 1);
  t.add(EventKind::Resume, 1);
  t.add(EventKind::Suspend, 1);
  t.add(EventKind::Resume, 1);  // at 30
  CHECK(t.live(1).state == TaskState::Running);
  CHECK(t.live(1).since == 30);
}

TEST_CASE("where a task waits, since when, and for what") {
  TraceMaker t;
  t.add(EventKind::Create, 1, no_task, UINT64_MAX, "", 1);
  t.add(EventKind::Create, 2, 1);
  t.add(EventKind::Resume, 1);
  t.add(EventKind::Suspend, 1, 2, 0, "", 1);  // at 30
  t.add(EventKind::Label, 2, no_task, 0, "the answer");
  t.add(EventKind::Label, 2, no_task, 0, "a later label");
  CHECK(t.live(1).name == "net::serve");
  CHECK(t.live(1).state == TaskState::Suspended);
  CHECK(t.live(1).target == 2);
  CHECK(t.live(1).since == 30);
  CHECK(t.live(1).location == "net::serve a.cc:7");
  CHECK(t.live(1).executor == 0);
  CHECK(t.live(2).name == "the answer");
  CHECK(t.live(2).executor == Waits::none);
  t.add(EventKind::Notify, 1, 2, 1);
  CHECK(t.live(1).state == TaskState::Runnable);
  CHECK(t.live(1).since == 60);
  t.add(EventKind::Resume, 1, 2);
  CHECK(t.live(1).state == TaskState::Running);
  CHECK(t.live(1).target == no_task);
  CHECK(t.live(1).waker == 2);
}

TEST_CASE("the target is the last successor of the task") {
  TraceMaker t;
  t.add(EventKind::Create, 1);
  t.add(EventKind::Suspend, 1, 2, 0);
  t.add(EventKind::Become, 2, 3);
  t.add(EventKind::Become, 3, 4);
  CHECK(t.live(1).target == 4);
  t.add(EventKind::Become, 4, 2);  // damage: a cycle
  CHECK(t.live(1).state == TaskState::Suspended);
}

TEST_CASE("a resource and its holder") {
  TraceMaker t;
  t.add(EventKind::Create, 1);
  t.add(EventKind::Resource, 1, 30, 0, "cache lock");
  t.add(EventKind::Acquire, 1, 30);
  CHECK(t.live(30).state == TaskState::Resource);
  CHECK(t.live(30).name == "cache lock");
  CHECK(t.live(30).target == 1);
  CHECK(t.live(30).since == 20);
  t.add(EventKind::Release, 1, 30);
  CHECK(t.live(30).target == no_task);
  CHECK(t.live(30).since == 30);
  t.add(EventKind::Resolve, 30, 1);
  CHECK(t.all().size() == 1);
}

TEST_CASE("events after the end of a task do not make it wait") {
  TraceMaker t;
  t.add(EventKind::Create, 1);
  t.add(EventKind::Create, 2);
  t.add(EventKind::Resolve, 1);
  t.add(EventKind::Suspend, 1, 2, 0);
  t.add(EventKind::Become, 1, 2);
  CHECK(t.all().size() == 1);
  CHECK(t.live(2).state == TaskState::Created);
}

TEST_CASE("a pre-existing task without actions has an unknown state") {
  TraceMaker t;
  t.add(EventKind::Acquire, 1, no_task);
  t.add(EventKind::SwitchTo, no_task);
  t.add(EventKind::Label, 8, no_task, 0, "never created");
  CHECK(t.live(8).state == TaskState::Unknown);
  CHECK(t.live(8).name == "never created");
}

TEST_CASE("a ring: states and times are those of the task table") {
  TraceMaker t;
  t.trace.info.overwritten_packets = 5;
  t.add(EventKind::Resume, 9, 5);  // 5 woke it, and has no row: it has ended
  using State = LiveTaskEntry::State;
  t.trace.live_tasks = {{.id = 1, .since = -50, .state = State::Created},
                        {.id = 2, .on = 1, .since = -40, .at = 1, .state = State::Suspended},
                        {.id = 3, .since = -30, .executor = 0, .state = State::Running},
                        {.id = 4, .on = 2, .since = -20, .name = 1, .state = State::Resource},
                        {.id = 9, .since = -60, .state = State::Suspended}};
  CHECK(t.all().size() == 5);
  CHECK(t.live(1).state == TaskState::Created);
  CHECK(t.live(1).since == -50);
  CHECK(t.live(2).state == TaskState::Suspended);
  CHECK(t.live(2).since == -40);
  CHECK(t.live(2).target == 1);
  CHECK(t.live(2).location == "net::serve a.cc:7");
  CHECK(t.live(3).state == TaskState::Running);
  CHECK(t.live(4).state == TaskState::Resource);
  CHECK(t.live(4).target == 2);
  CHECK(t.live(5).state == TaskState::Ended);
  CHECK(t.live(9).state == TaskState::Running);
}
