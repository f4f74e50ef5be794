// Rules 1 and 2 of docs/model.md: how ids map to tasks, when a task starts, what it becomes.
#include "trace/model/example.h"

using namespace skein;

// ---- rule 1

TEST_CASE("1: a task without a create event exists since the start") {
  //      10        20
  //  7 ---+---------+---]     its create was overwritten
  //       +- 8 -----]
  const Example e = mirage(R"(
    10 create 8 under 7
    20 resolve 8 by 7
    30 resolve 7
  )");
  CHECK(e.bars() ==
        "7: 0-30 resolved from-before\n"
        "8: 10-20 resolved under 7\n");
}

TEST_CASE("1: in a skein trace, on the executor whose event named it first") {
  //  0:        7 ---+-------------]      starts at the left edge
  //                 +- 9 -----]
  //  1:        8 ----===-----------
  const Example e = ours(R"(
    10 resume 8 @1
    12 create 9 under 7
    20 suspend 8 on 9 @1
    30 resolve 9 by 7
    40 resolve 7 by 7
  )");
  CHECK(e.bars() ==
        "8@1: 0-1020 open from-before\n"
        "7: 0-40 resolved from-before\n"
        "9: 12-30 resolved under 7\n");
  CHECK(e.running() == "8@1: 10-20\n");
}

TEST_CASE("1: a create after the first use, from another stream, belongs to that task") {
  const Example e = ours(R"(
    10 resume 5 @1
    11 create 5 under 4 as coroutine
    20 resolve 5 @1
  )");
  CHECK(e.bars() ==
        "5: 0-20 resolved under 4\n"
        "4: 0-1011 open from-before\n");
}

// ---- rule 2

TEST_CASE("2: the successor continues the task and its activation") {
  //      10   20    30   40
  //  1 ---=====]
  //  2 --------=====]            in the same row
  const Example e = mirage(R"(
     0 create 1
     0 create 2
    10 switch_to 1
    20 become 1 into 2
    25 label 1 hello
    30 resolve 1
    40 idle -
  )");
  CHECK(e.bars() ==
        "1: 0-20 became 2\n"
        "2: 0-30 resolved\n");
  CHECK(e.running() == "1: 10-20\n2: 20-30\n");
  REQUIRE(e.model.labels.size() == 1);
  CHECK(e.id(e.model.labels[0].task) == "2");
  CHECK(e.model.last_self(e.model.find(1)) == e.model.find(2));
}

TEST_CASE("2: in a skein trace, a predecessor is not current; the successor runs when it resumes") {
  const Example e = ours(R"(
     0 create 1
     0 create 2
    10 resume 1
    20 become 1 into 2
    25 resume 2
    30 resolve 2 by 2
  )");
  CHECK(e.running() == "1: 10-20\n2: 25-30\n");
}

TEST_CASE(
    "2: in a skein trace, another executor's events of the predecessor apply to the successor") {
  //  0:  1 ---=======]          becomes 2 while it runs here, by an event of executor 1
  //  1:  2 ----------===---!    1 was marked should_resolve
  const Example e = ours(R"(
     0 create 1
     0 create 2 @1
     5 should_resolve 1
    10 resume 1
    20 become 1 into 2 @1
    22 suspend 1
    25 resume 1 @1
    30 label 1 hello
    40 suspend 1 on 3 @1
    50 label 3 last
  )");
  CHECK(e.bars() ==
        "1: 0-20 became 2\n"
        "2@1: 0-50 stuck\n"
        "3@1: 0-1050 open from-before\n");
  CHECK(e.running() == "1: 10-20\n2@1: 25-40\n");
  CHECK(e.arrows() == "await 2@40 3@40\n");
  REQUIRE(e.model.labels.size() == 2);
  CHECK(e.id(e.model.labels[0].task) == "2");
}

TEST_CASE("2: no task becomes itself, not even through others") {
  const Example e = mirage(R"(
     0 create 1
     0 create 2
     0 create 3
    10 become 1 into 1
    20 become 1 into 2
    30 become 2 into 3
    40 become 3 into 1
    50 resolve 1
  )");
  CHECK(e.bars() ==
        "1: 0-20 became 2\n"
        "2: 0-30 became 3\n"
        "3: 0-50 resolved\n");
}

// ---- damage

TEST_CASE("an id used twice is two tasks; later events belong to the second") {
  const Example e = mirage(R"(
     0 create 1
    10 label 1 first
    20 create 1
    30 label 1 second
    40 resolve 1
  )");
  CHECK(e.bars() == "1: 0-1010 open\n1: 20-40 resolved\n");
  CHECK(e.model.find(1) == 1);
  CHECK(e.trace.strings[e.model.tasks[0].label] == "first");
  CHECK(e.trace.strings[e.model.tasks[1].label] == "second");
}

TEST_CASE("a long chain of becomes takes linear time") {
  Trace trace;
  trace.info.format = "mirage-profile";
  constexpr uint64_t count = 200'000;
  uint64_t time = 0;
  for (uint64_t id = 0; id + 1 < count; id++)
    trace.events.append({.time = time++, .task = id, .other = id + 1, .kind = EventKind::Become});
  for (uint64_t id = 0; id < count; id++)
    trace.events.append({.time = time++, .task = id, .kind = EventKind::Label});
  const Model model = build_model(trace);
  REQUIRE(model.tasks.size() == count);
  for (const Model::Label& label : model.labels) REQUIRE(model.tasks[label.task].id == count - 1);
}
