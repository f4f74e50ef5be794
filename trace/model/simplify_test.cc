// Rules 4 and 5 of docs/model.md: changes to bars after the last event.
#include "trace/model/example.h"

using namespace skein;

// ---- rule 4

TEST_CASE("4: a bind that only waited starts at its read, as a child of the task it read") {
  //      5      10   20   30                      10   20  30
  //  1 --+-------]                            1 ---]
  //      +- 2 bind ---====]     is drawn           ↓
  //                                           2     ...====]
  const std::string text = R"(
     0 create 1
     5 create 2 under 3 as bind
    10 resolve 1
    20 read 2 of 1
    30 resolve 2
  )";
  CHECK(mirage(text).bars() ==
        "1: 0-10 resolved\n"
        "3: 0-1005 open from-before\n"
        "2: 20-30 resolved under 1 late\n");
  CHECK(mirage(text, {.simplify = false}).bars() ==
        "1: 0-10 resolved\n"
        "3: 0-1005 open from-before\n"
        "2: 5-30 resolved under 3\n");
}

TEST_CASE("4: not for other kinds, nor for a task that acted before or had a waiter") {
  const auto bar_of_2 = [](const std::string& kind, const std::string& before) {
    const Example e = mirage("0 create 1\n 5 create 2 under 3 as " + kind + "\n" + before +
                             "20 read 2 of 1\n 30 resolve 2\n");
    return e.bars().substr(e.bars().find("2: "));
  };
  const std::string late = "2: 20-30 resolved under 1 late\n";
  for (const char* kind : {"bind", "try", "map", "ignore_result", "on_failure", "on_termination"})
    CHECK(bar_of_2(kind, "") == late);
  const std::string as_created = "2: 5-30 resolved under 3\n";
  CHECK(bar_of_2("task", "") == as_created);
  CHECK(bar_of_2("bind", "6 label 2 hello\n") == as_created);
  CHECK(bar_of_2("bind", "6 counter_add 2 =1 jobs\n") == as_created);
  CHECK(bar_of_2("bind", "6 switch_to 2\n 7 idle -\n") == as_created);
  CHECK(bar_of_2("bind", "6 notify 1 by 2\n") == as_created);
  CHECK(bar_of_2("bind", "6 try_read 2 of 1\n") == late);
  CHECK(bar_of_2("bind", "6 try_read 1 of 2\n") == as_created);
  CHECK(bar_of_2("bind", "6 try_read - of 2\n") == as_created);
  CHECK(bar_of_2("bind", "7 become 3 into 2\n") == as_created);
}

TEST_CASE("4: not in a skein trace, where the program chooses the names of kinds") {
  const Example e = ours(R"(
     0 create 1
     5 create 2 under 3 as bind
    10 resolve 1
    20 ready 2 of 1
    30 resolve 2 by 2
  )");
  CHECK(e.bars() ==
        "1: 0-10 resolved\n"
        "3: 0-1005 open from-before\n"
        "2: 5-30 resolved under 3\n");
}

// ---- rule 5

TEST_CASE("5: a bar without an end stops just after its last event") {
  const Example e = mirage(R"(
      0 create 1
      5 create 2
     10 label 1 hello
     20 create 3 under 2
     30 read 3 of 1
     50 switch_to 4
   9000 label 4 last
  )");
  CHECK(e.bars() ==
        "1: 0-1030 open\n"
        "2: 5-1020 open\n"
        "3: 20-1050 open under 2\n"
        "4: 0-10000 open from-before\n");
}

TEST_CASE("5: in a skein trace it is live and extends to the end of the trace") {
  //  1 ------------------------>     waits forever
  //  2    ------------------]
  const char* events = R"(
      0 create 1
      5 create 2
      6 suspend 1 on 2
   9000 resolve 2
  )";
  CHECK(ours(events).bars() ==
        "1: 0-9000 open\n"
        "2: 5-9000 resolved\n");
}

TEST_CASE("5: in a ring it stops just after its last event if its end may be overwritten") {
  //  0:  1 ---===---+--->             creates 3, its last event
  //  1:  2    ---==========>          its activation ends when another begins
  //      3          ---->
  //      4                      --->  everything later is known
  const char* text = R"(
       0 create 1
       5 create 2 @1
      10 resume 1
      15 suspend 1
      20 resume 2 @1
      40 create 3 under 1 @1
      60 resume 3 @1
    6000 executor_end - @1
    7000 create 4
    9000 label 5 later
  )";
  CHECK(Example("skein", text, {}, 6500).bars() ==
        "1: 0-1040 open\n"
        "2@1: 5-1060 open\n"
        "3@1: 40-7000 open under 1\n"
        "4: 7000-9000 open\n"
        "5: 0-10000 open from-before\n");
}

TEST_CASE("5: a task marked should_resolve that does not end is stuck, to the end of the trace") {
  //  1 ---]
  //  2 --------------------!     its successor, which did not end
  const Example e = mirage(R"(
      0 create 1
      0 create 2
      0 create 3
      1 should_resolve 1
      1 should_resolve 3
     10 become 1 into 2
     20 resolve 3
   5000 pause - =100 gc
  )");
  CHECK(e.bars() ==
        "1: 0-10 became 2\n"
        "2: 0-5000 stuck\n"
        "3: 0-20 resolved\n");
  REQUIRE(e.model.pauses.size() == 1);
  CHECK(e.intervals(e.model.pauses) == "4900-5000 gc\n");
}

TEST_CASE("5: in a skein trace, to the last event of all executors") {
  //  0:  1 ---==------------------!
  //  1:  2 -------------===]
  const Example e = ours(R"(
       0 create 1
       0 should_resolve 1
       0 create 2 @1
       5 should_resolve 2 @1
      10 resume 1
      20 suspend 1 on 3
    8000 resume 2 @1
    9000 resolve 2 by 2 @1
  )");
  CHECK(e.bars() ==
        "1: 0-9000 stuck\n"
        "2@1: 0-9000 resolved\n"
        "3: 0-9000 open from-before\n");
}

TEST_CASE("5: a task ends once, with a reason") {
  const Example e = ours(R"(
     0 create 1
     0 create 2
     0 create 3
    10 fail 1 by 2 because
    20 resolve 1 by 2
    30 cancel 2 by 3
    40 resolve 3 by 3
    50 label 3 late
  )");
  CHECK(e.bars() ==
        "1: 0-10 failed\n"
        "2: 0-30 cancelled\n"
        "3: 0-40 resolved\n");
  CHECK(e.arrows() == "resolve 2@10 1@10\nresolve 3@30 2@30\n");
  CHECK(e.trace.strings[e.model.tasks[0].reason] == "because");
}

// ---- damage

TEST_CASE("a task that is its own ancestor is a child of the root") {
  const Example e = mirage(R"(
     0 label 1 x
     0 label 2 x
     0 label 3 x
    10 create 1 under 2
    10 create 2 under 3
    10 create 3 under 1
    10 create 4 under 4
    20 resolve 1
  )");
  size_t roots = 0;
  for (const Model::Task& task : e.model.tasks) roots += task.parent == no_index;
  CHECK(roots == 2);
}
