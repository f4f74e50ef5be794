#include "trace/ask/unserved.h"

#include <doctest/doctest.h>

#include "trace/model/example.h"

namespace skein {

namespace {

// 1 takes from a queue, twice, with pop (11, 12), and fails; 2 waits in push (13) for room since.
const std::string queue = R"(
      0 create 1 as coroutine writer
      0 create 2 as coroutine agent
      1 resume 1
      2 create 11 by 1 as coroutine pop
      3 suspend 1 on 11
      3 resume 11 by 1
      4 ready 11
      5 resolve 11
      5 resume 1 by 11
      6 create 12 by 1 as coroutine pop
      6 suspend 1 on 12
      6 resume 12 by 1
      7 ready 12
      8 resolve 12
      8 resume 1 by 12
      9 fail 1 stod
     10 resume 2
     11 create 13 by 2 as coroutine push
     12 suspend 2 on 13
     12 resume 13 by 2
     13 suspend 13
)";

struct Room {
  uint64_t pops_at = 0xa058;
  const char* pop = "T Queue<T>::pop() [with T = int]";
  uint64_t until = 3'000'000'000;
};

std::vector<UnreadFailure> failures_of(const std::string& events, const Room& room = {}) {
  Example e = ours(events, {.until = room.until});
  Trace& trace = e.trace;
  const auto place = [&](const char* function) {
    trace.locations.push_back({.function = trace.strings.intern(function)});
    return static_cast<uint32_t>(trace.locations.size() - 1);
  };
  const uint32_t push = place("void Queue<T>::push(T) [with T = int]");
  const uint32_t pop = place(room.pop);
  const StringId type = trace.strings.intern("Semaphore::acquire()::Awaiter");
  Events events_with_places;
  for (size_t i = 0; i < trace.events.size(); i++) {
    EventRow event = trace.events.row(i);
    const TaskIndex task = e.model.find(event.task);
    const std::string_view name = task == no_index ? "" : trace.strings[e.model.tasks[task].name];
    const bool is_push = name == "push";
    const bool is_known = is_push || name == "pop";
    if (is_known) e.model.tasks[task].location = event.location = is_push ? push : pop;
    events_with_places.append(event);
    if (!is_known) continue;
    if (event.kind == EventKind::Ready || event.kind == EventKind::Suspend)
      trace.awaited_objects.push_back({i, is_push ? 0xa000 : room.pops_at, type});
  }
  trace.events = std::move(events_with_places);
  const Waits waits = find_waits(trace, e.model);
  std::vector<UnreadFailure> failures = unread_failures({trace, e.model, waits});
  add_unserved({trace, e.model, waits}, diagnose_all(trace, e.model, waits), failures);
  return failures;
}

}  // namespace

TEST_CASE("tasks that fill a queue whose only reader has failed") {
  const std::vector<UnreadFailure> failures = failures_of(queue);
  REQUIRE(failures.size() == 1);
  REQUIRE(failures[0].unserved);
  CHECK(failures[0].is_error());
  CHECK(failures[0].unserved->tasks == 1);
  CHECK(failures[0].unserved->since == 13);
}

TEST_CASE("a failure that has not stopped others") {
  const auto is_unserved = [](const std::string& events, const Room& room = {}) {
    const std::vector<UnreadFailure> failures = failures_of(events, room);
    REQUIRE(failures.size() == 1);
    CHECK(failures[0].is_error() == failures[0].unserved.has_value());
    return failures[0].unserved.has_value();
  };
  SUBCASE("they have waited for less than a second") {
    CHECK(!is_unserved(queue, {.until = 900'000'000}));
  }
  SUBCASE("another object") { CHECK(!is_unserved(queue, {.pops_at = 0xf000})); }
  SUBCASE("another class") { CHECK(!is_unserved(queue, {.pop = "int Stack<T>::pop()"})); }
  SUBCASE("another task has taken from the queue") {
    CHECK(
        !is_unserved("0 create 3 as coroutine second\n 0 resume 3\n"
                     "0 create 14 by 3 as coroutine pop\n 0 suspend 3 on 14\n 0 resume 14 by 3\n"
                     "0 ready 14\n 0 resolve 14\n 0 resume 3 by 14\n 0 suspend 3\n" +
                     queue));
  }
  SUBCASE("another task of its function is there") {
    CHECK(!is_unserved(queue + "14 create 4 as coroutine writer\n"));
  }
}

}  // namespace skein
