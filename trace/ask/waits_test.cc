#include "trace/ask/waits.h"

#include "trace/ask/example.h"

namespace skein {

namespace {

// The task that the task 1 waits for at the end; 0: unknown.
TaskId awaited(const std::string& events) {
  Example e = ours(events);
  const Waits waits = find_waits(e.trace, e.model);
  const Waits::Wait* wait = waits.open(e.model.find(1));
  REQUIRE(wait);
  return wait->on == no_index ? 0 : e.model.tasks[wait->on].id;
}

// 1 waits for a handler (2).
const std::string co_spawn = R"(
    0 create 1 as coroutine client
    1 resume 1
    2 create 3 by 1 as coroutine fetch
    3 suspend 1
    4 create 2 by 1 as handler strand.execute
    4 await 1 on 2
    5 create 9 as handler io.execute
    6 resume 9
    7 resume 2 by 9
)";
const std::string returns = R"(
    20 resolve 2 by 2
    20 switch_to 9
    21 resolve 9 by 9
)";

}  // namespace

TEST_CASE("co_await co_spawn() waits for the coroutine that its handler started") {
  CHECK(awaited(co_spawn) == 2);
  CHECK(awaited(co_spawn + "8 resume 3 by 2\n 9 suspend 3\n 9 switch_to 2\n" + returns) == 3);
  // Created by the handler.
  CHECK(awaited(co_spawn + "8 create 4 by 2 as coroutine f\n 8 resume 4 by 2\n 9 suspend 4\n"
                           "9 switch_to 2\n" +
                returns) == 4);
}

TEST_CASE("a coroutine that another task created, or that has ended, is not what it waits for") {
  const std::string other = "8 create 5 as coroutine other\n";
  CHECK(awaited(co_spawn + other + "8 resume 5 by 2\n 9 suspend 5\n 9 switch_to 2\n" + returns) == 0);
  CHECK(awaited(co_spawn + "8 resume 3 by 2\n 9 resolve 3\n 9 switch_to 2\n" + returns) == 0);
}

TEST_CASE("an operation that the handler started comes before a coroutine") {
  CHECK(awaited(co_spawn +
                "8 resume 3 by 2\n 9 suspend 3\n 9 switch_to 2\n 10 create 6 by 2 as io read\n" +
                returns) == 6);
}

TEST_CASE("an operator waits for its operands, also if they are operations") {
  const std::string both = R"(
    0 create 9 as handler io.execute
    1 resume 9
    1 create 5 by 9 as coroutine session
    2 resume 5 by 9
    3 create 6 by 5 as coroutine pause
    3 create 1 by 5 as coroutine asio::experimental::awaitable_operators::operator&&
    4 suspend 5 on 1
    4 switch_to 9
    5 resume 1 by 5
    6 suspend 1
    6 switch_to 9
    7 resume 6 by 9
    8 suspend 6
    8 switch_to 9
    9 create 7 by 9 as io channel.async_receive
   10 resolve 9 by 9
)";
  CHECK(awaited(both) == 6);
  CHECK(awaited(both + "20 resume 6\n 21 resolve 6\n") == 7);
}

TEST_CASE("a thread that a ring has overwritten ended the wait that another has kept") {
  const auto target = [](LiveTaskEntry row, uint64_t complete_from) {
    AnalyzedExample run(R"(
     0 create 1 as coroutine client @1
     1 resume 1 @1
     2 create 2 by 1 as coroutine first @1
     3 suspend 1 on 2 @1
    90 create 3 as coroutine second @2
    91 resume 3 @2
  )");
    run.e.trace.live_tasks = {row, {.id = 2, .since = 2}, {.id = 3, .since = 90}};
    run.e.trace.info.complete_from = complete_from;
    run.e.model = build_model(run.e.trace, {.simplify = false});
    const Waits waits = find_waits(run.e.trace, run.e.model);
    const Waits::Wait* wait = waits.open(run.e.model.find(1));
    return wait == nullptr || wait->on == no_index ? 0 : run.e.model.tasks[wait->on].id;
  };
  using enum LiveTaskEntry::State;
  CHECK(target({.id = 1, .on = 3, .since = 50, .state = Suspended}, 80) == 3);
  CHECK(target({.id = 1, .on = 2, .since = 3, .state = Suspended}, 80) == 2);
  CHECK(target({.id = 1, .since = 50, .state = Running}, 80) == 0);
  CHECK(target({.id = 1, .on = 3, .since = 50, .state = Suspended}, 10) == 2);  // all is there
}

}  // namespace skein
