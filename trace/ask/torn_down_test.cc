#include "trace/ask/torn_down.h"

#include <doctest/doctest.h>

#include "trace/model/example.h"

using namespace skein;

namespace {

std::string text(const std::string& events) {
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
  CHECK(text("") == "");
  CHECK(text("20 cancel 5 by -\n 21 cancel 4 by -\n 22 cancel 2 by -\n 23 cancel 1 by -\n") ==
        "1 on 3 x2\n");
  // Only the second was destroyed: the first is stuck.
  CHECK(text("20 cancel 5 by -\n 21 cancel 4 by -\n 22 cancel 2 by -\n") == "2 on 4 x1\n");
}

TEST_CASE("a task that is cancelled while others run, or ends") {
  CHECK(text("20 cancel 4 by -\n 21 cancel 2 by -\n 22 resume 3\n 23 resume 1 by 3\n 24 resolve "
             "1\n 25 resolve 3\n") == "");
}

TEST_CASE("the trace without the teardown of the program") {
  Example e = ours(R"(
     0 create 1 as coroutine session
     1 resume 1
     2 create 2 by 1 as io receive
     3 suspend 1 on 2
    50 cancel 2 by -
    51 cancel 1 by -
  )");
  CHECK(teardown_begin({e.trace, e.model, find_waits(e.trace, e.model)}) == 50);
  remove_from(e.trace, 50);
  CHECK(e.trace.events.size() == 4);
  const Model model = build_model(e.trace, {.simplify = false, .until = 50});
  CHECK(model.end == 50);
  CHECK(model.tasks[model.find(1)].how == Model::End::Open);
  CHECK(teardown_begin({e.trace, model, find_waits(e.trace, model)}) == UINT64_MAX);
}

TEST_CASE("the teardown of a program in which nothing ran") {
  const Example e = ours("0 create 1 as timer wait\n 50 cancel 1 by -\n");
  CHECK(teardown_begin({e.trace, e.model, find_waits(e.trace, e.model)}) == 50);
}
