#include "trace/ask/torn_down.h"

#include <doctest/doctest.h>

#include "trace/model/example.h"

using namespace skein;

namespace {

std::string torn_down_text(const std::string& events) {
  const Example e = ours(R"(
     0 create 1 as coroutine session
     0 create 2 as coroutine session
     1 resume 1
     2 create 3 by 1 as io receive
     3 suspend 1 on 3
     4 resume 2
     5 create 4 by 2 as coroutine inner
     6 suspend 2 on 4
     6 resume 4
     7 create 5 by 4 as io receive
     8 suspend 4 on 5
)" + events);
  const Waits waits = find_waits(e.trace, e.model);
  std::string out;
  for (const TornDown& t : torn_down({e.trace, e.model, waits}))
    out += e.id(t.task) + " on " + e.id(waits.waits[t.wait].on) + " x" + std::to_string(t.count) +
           "\n";
  return out;
}

}  // namespace

TEST_CASE("tasks that are destroyed at the end while they wait, by place") {
  CHECK(torn_down_text("") == "");
  CHECK(torn_down_text("20 cancel 5 by -\n 21 cancel 4 by -\n 22 cancel 2 by -\n 23 cancel 1 by -\n") ==
        "1 on 3 x2\n");
  // Only the second was destroyed: the first is stuck.
  CHECK(torn_down_text("20 cancel 5 by -\n 21 cancel 4 by -\n 22 cancel 2 by -\n") == "2 on 4 x1\n");
}

TEST_CASE("a task that is cancelled while others run, or ends") {
  CHECK(torn_down_text("20 cancel 4 by -\n 21 cancel 2 by -\n 22 resume 3\n 23 resume 1 by 3\n 24 resolve "
             "1\n 25 resolve 3\n") == "");
}

TEST_CASE("the model without the teardown of the program") {
  const Example e = ours(R"(
     0 create 1 as coroutine session
     1 resume 1
     2 create 2 by 1 as io receive
     3 suspend 1 on 2
    50 cancel 2 by -
    51 cancel 1 by -
  )");
  CHECK(teardown_begin({e.trace, e.model, find_waits(e.trace, e.model)}) == 50);
  const Model model = build_model(e.trace, {.simplify = false, .before = 50});
  CHECK(model.events == 4);
  CHECK(model.last_event == 3);
  CHECK(model.is_torn_down);
  CHECK(!e.model.is_torn_down);
  CHECK(model.end == 50);
  CHECK(model.is_open(model.find(1)));
  CHECK(teardown_begin({e.trace, model, find_waits(e.trace, model)}) == UINT64_MAX);
}

TEST_CASE("the teardown of a program in which nothing ran") {
  const Example e = ours("0 create 1 as timer wait\n 50 cancel 1 by -\n");
  CHECK(teardown_begin({e.trace, e.model, find_waits(e.trace, e.model)}) == 50);
}

namespace {

// A worker waits for a channel, and the last handler stops the event loop at 10.
uint64_t begin_with_channel(const std::string& events) {
  const Example e = ours(R"(
     0 create 1 as coroutine worker
     0 create 2 as io signal_set.async_wait
     1 resume 1
     2 suspend 1
     3 create 3 by 1 as io channel.async_send
     3 await 1 on 3
     9 resume 2
    10 resolve 2 by 2
)" + events);
  return teardown_begin({e.trace, e.model, find_waits(e.trace, e.model)});
}

}  // namespace

TEST_CASE("a channel that is destroyed before its event loop") {
  constexpr const char* destroyed = R"(
    50 resume 3
    51 create 4 by 3 as handler io_context.execute
    52 fail 3 by 3 cancelled
    60 create 5 as handler io_context.execute
    61 cancel 4
    62 cancel 1
    63 cancel 5
  )";
  CHECK(begin_with_channel(destroyed) == 50);
  const Example e = ours(R"(
     0 create 1 as coroutine worker
     1 resume 1
     2 suspend 1
     3 create 3 by 1 as io channel.async_send
     3 await 1 on 3
  )" + std::string(destroyed));
  const uint64_t begin = teardown_begin({e.trace, e.model, find_waits(e.trace, e.model)});
  const Model model = build_model(e.trace, {.simplify = false, .before = begin});
  const Waits waits = find_waits(e.trace, model);
  const Waits::Wait* wait = waits.open(model.find(1));
  REQUIRE(wait != nullptr);
  CHECK(wait->on == model.find(3));
  CHECK(wait->ready == Waits::never);
}

TEST_CASE("a channel with a callback, and one in a program in which nothing ran") {
  constexpr const char* events = R"(
     0 create 3 as io channel.async_receive
    50 resume 3
    51 create 4 by 3 as handler io_context.execute
    52 resolve 3 by 3
    53 cancel 4
  )";
  const Example idle = ours(events);
  CHECK(teardown_begin({idle.trace, idle.model, find_waits(idle.trace, idle.model)}) == 50);
  const Example e =
      ours("0 create 2 as handler post\n 1 resume 2\n 2 resolve 2\n" + std::string(events));
  CHECK(teardown_begin({e.trace, e.model, find_waits(e.trace, e.model)}) == 50);
}

TEST_CASE("a channel whose operation ends while the program goes on") {
  // Its handler ran, so the worker went on.
  CHECK(begin_with_channel(R"(
    50 resume 3
    51 create 4 by 3 as handler io_context.execute
    52 fail 3 by 3 cancelled
    60 resume 4
    61 resume 1 by 4
    62 suspend 1
    62 switch_to 4
    63 resolve 4 by 4
    70 cancel 1
  )") == 70);
  // Another handler ran afterwards.
  CHECK(begin_with_channel(R"(
    50 resume 3
    51 create 4 by 3 as handler io_context.execute
    52 fail 3 by 3 cancelled
    60 create 5 as handler post
    61 resume 5
    62 resolve 5 by 5
    70 cancel 4
    71 cancel 1
  )") == 70);
  // A task closed the channel, and the worker was runnable.
  CHECK(begin_with_channel(R"(
    48 create 5 as handler post
    49 resume 5
    50 resume 3 by 5
    51 create 4 by 3 as handler io_context.execute
    52 fail 3 by 3 cancelled
    53 switch_to 5
    54 resolve 5 by 5
    70 cancel 4
    71 cancel 1
  )") == 70);
  // The handler has not been destroyed: the program was killed.
  CHECK(begin_with_channel(R"(
    50 resume 3
    51 create 4 by 3 as handler io_context.execute
    52 fail 3 by 3 cancelled
  )") == UINT64_MAX);
  // The event loop completes other operations, e.g. a timer, whose handler it posts to a strand.
  const Example e = ours(R"(
     0 create 1 as coroutine worker
     1 resume 1
     2 suspend 1
     3 create 3 by 1 as timer deadline_timer.async_wait
     3 await 1 on 3
    50 resume 3
    51 create 4 by 3 as handler strand.execute
    52 resolve 3 by 3
    70 cancel 4
    71 cancel 1
  )");
  CHECK(teardown_begin({e.trace, e.model, find_waits(e.trace, e.model)}) == 70);
}
