#include "trace/ask/summary.h"

#include <doctest/doctest.h>

#include "trace/model/tasks.h"

using namespace skein;

namespace {

struct Maker {
  void add(EventKind kind, TaskId task, TaskId other = no_task, uint64_t value = 0,
           std::string_view text = "") {
    trace.events.append({.time = 100 + 10 * trace.events.size(),
                         .task = task,
                         .other = other,
                         .value = value,
                         .text = trace.strings.intern(text),
                         .kind = kind});
  }
  Trace trace;
};

}  // namespace

TEST_CASE("tasks are counted by id in every role; a missing id 0 is not counted") {
  Maker m;
  m.add(EventKind::Create, 1, no_task);
  m.add(EventKind::Create, 2, 1);
  m.add(EventKind::Ready, 1, 3);  // 3 occurs only as a target of `ready`
  m.add(EventKind::Idle, no_task);
  m.add(EventKind::Suspend, 1, 77, 1);  // 77 is a resource
  m.add(EventKind::Suspend, 1, 4);      // 4 is a task
  const Summary summary = summarize(m.trace);
  CHECK(summary.tasks == 4);
  CHECK(summary.pre_existing == 2);
  CHECK(summary.ended == 0);
  CHECK(summary.live == 4);
  CHECK(summary.events == 6);
  CHECK(summary.span_ns == 50);
}

TEST_CASE("a task ends once, however many end events it has") {
  Maker m;
  for (TaskId id = 0; id < 5; id++) m.add(EventKind::Create, id);
  m.add(EventKind::Resolve, 0, 1);
  m.add(EventKind::Resolve, 0, 2);
  m.add(EventKind::Fail, 1, 0, 0, "because");
  m.add(EventKind::Cancel, 2);
  m.add(EventKind::Become, 3, 4);
  m.add(EventKind::Become, 3, 4);
  m.add(EventKind::ShouldResolve, 3);
  m.add(EventKind::ShouldResolve, 4);
  const Summary summary = summarize(m.trace);
  CHECK(summary.tasks == 5);
  CHECK(summary.ended == 4);
  CHECK(summary.live == 1);
  CHECK(summary.failed == 1);
  CHECK(summary.stuck == 1);
}

TEST_CASE("a live task created before a ring begins counts, and has a name") {
  Maker m;
  m.add(EventKind::Create, 1);
  m.add(EventKind::Resume, 2);
  const StringId name = m.trace.strings.intern("serve");
  using State = LiveTaskEntry::State;
  m.trace.live_tasks = {{.id = 1, .name = name, .kind = 3},
                        {.id = 2, .name = name, .kind = 3, .should_resolve = true},
                        {.id = 7, .since = -5, .label = name, .kind = 4, .state = State::Suspended},
                        {.id = 8, .since = 1'000},  // created after the last event
                        {.id = 9, .state = State::Resource}};
  const Summary summary = summarize(m.trace);
  CHECK(summary.tasks == 3);
  CHECK(summary.pre_existing == 2);
  CHECK(summary.live == 3);
  CHECK(summary.stuck == 1);
  const TaskRegistry tasks(m.trace);
  CHECK(tasks.find(1)->name == 0);  // its create event has none
  CHECK(tasks.find(2)->name == name);
  CHECK(tasks.find(7)->label == name);
  CHECK(tasks.find(7)->kind == 4);
  CHECK(tasks.find(8) == nullptr);
  CHECK(tasks.find(9) == nullptr);
}

TEST_CASE("a task that became another has ended, the other is live") {
  Maker m;
  for (TaskId id = 1; id <= 5; id++) m.add(EventKind::Create, id);
  m.add(EventKind::ShouldResolve, 1);
  m.add(EventKind::Become, 1, 2);
  m.add(EventKind::Become, 1, 3);  // 2 becomes 3
  m.add(EventKind::Become, 3, 1);  // becomes itself: ignored
  m.add(EventKind::Become, 4, 4);
  CHECK(summarize(m.trace).ended == 2);
  CHECK(summarize(m.trace).live == 3);
  CHECK(summarize(m.trace).stuck == 1);
  m.add(EventKind::Fail, 1, no_task, 0, "because");  // 3 fails
  CHECK(summarize(m.trace).ended == 3);
  CHECK(summarize(m.trace).live == 2);
  CHECK(summarize(m.trace).failed == 1);
  CHECK(summarize(m.trace).stuck == 0);
}

TEST_CASE("suspended and runnable tasks are waiting") {
  Maker m;
  for (TaskId id = 1; id <= 4; id++) m.add(EventKind::Create, id);
  for (TaskId id = 1; id <= 3; id++) m.add(EventKind::Resume, id);
  m.add(EventKind::Suspend, 1, 4);
  CHECK(summarize(m.trace).waiting == 2);  // 2 is not current, 3 runs, 4 is created
  m.add(EventKind::Resolve, 4, 3);
  CHECK(summarize(m.trace).waiting == 2);  // 1 is runnable
  m.add(EventKind::Resume, 1, 4);
  CHECK(summarize(m.trace).waiting == 2);  // 3 is not current
  m.add(EventKind::Resolve, 2);
  CHECK(summarize(m.trace).waiting == 1);
}

TEST_CASE("a long chain of becomes") {
  Maker m;
  for (TaskId id = 0; id < 200'000; id++) {
    m.add(EventKind::Create, id);
    if (id != 0) m.add(EventKind::Become, 0, id);
  }
  m.add(EventKind::Resolve, 0);
  CHECK(summarize(m.trace).ended == 200'000);
}

TEST_CASE("counters by name, the most used first; labels are counted") {
  Maker m;
  m.add(EventKind::CounterAdd, 1, no_task, 5, "b");
  m.add(EventKind::CounterSet, 1, no_task, 5, "a");
  m.add(EventKind::CounterAdd, 1, no_task, 5, "c");
  m.add(EventKind::CounterAdd, 1, no_task, 5, "c");
  m.add(EventKind::Label, 1, no_task, 0, "hello");
  m.add(EventKind::Label, 1, no_task, 0, "again");
  const Summary summary = summarize(m.trace);
  REQUIRE(summary.counters.size() == 3);
  CHECK(m.trace.strings[summary.counters[0].first] == "c");
  CHECK(summary.counters[0].second == 2);
  CHECK(m.trace.strings[summary.counters[1].first] == "a");
  CHECK(m.trace.strings[summary.counters[2].first] == "b");
  CHECK(summary.labels == 2);
  const TaskRegistry tasks(m.trace.events);
  CHECK(m.trace.strings[tasks.find(1)->label] == "hello");
}

TEST_CASE("kinds have the format's names, or else skein's") {
  Maker m;
  m.add(EventKind::Create, 1);
  m.add(EventKind::Create, 2);
  m.add(EventKind::Label, 2, no_task, 0, "x");
  using Kinds = std::vector<std::pair<std::string, uint64_t>>;
  CHECK(summarize(m.trace).kinds == Kinds{{"create", 2}, {"label", 1}});
  m.trace.info.wire_kinds = {{"creates", 2}};
  CHECK(summarize(m.trace).kinds == Kinds{{"creates", 2}});
}

TEST_CASE("an id created twice is two tasks") {
  Maker m;
  m.add(EventKind::Create, 9, no_task, 1);
  m.add(EventKind::Create, 9, no_task, 2);
  const Summary summary = summarize(m.trace);
  CHECK(summary.tasks == 2);
  CHECK(summary.created_twice == 1);
  CHECK(TaskRegistry(m.trace.events).find(9)->kind == 1);
}

TEST_CASE("many tasks with scattered ids") {
  Maker m;
  for (uint64_t i = 0; i < 50'000; i++) m.add(EventKind::Create, i * 0x1'0000'0001);
  for (uint64_t i = 0; i < 50'000; i += 2) m.add(EventKind::Resolve, i * 0x1'0000'0001);
  CHECK(summarize(m.trace).ended == 25'000);
  const TaskRegistry tasks(m.trace.events);
  CHECK(tasks.size() == 50'000);
  for (uint64_t i = 0; i < 50'000; i++) {
    const auto* task = tasks.find(i * 0x1'0000'0001);
    REQUIRE(task);
  }
  CHECK(tasks.find(12345) == nullptr);
  CHECK(tasks.find(no_task) == nullptr);
}

TEST_CASE("an empty trace has a summary") {
  const Summary summary = summarize(Trace{});
  CHECK(summary.tasks == 0);
  CHECK(summary.span_ns == 0);
  CHECK(summary.kinds.empty());
}
