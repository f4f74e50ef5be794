// Rules 6 (sleep) and 8 of docs/model.md: which task is current, and when none is.
#include "trace/model/example.h"

using namespace skein;

// ---- rule 6

TEST_CASE("6: while the root is current, the executor sleeps") {
  //       10   20   30    40
  //  1 ---=====.....======
  //            zzzzz
  const Example e = mirage(R"(
     0 create 1
    10 switch_to 1
    20 idle -
    25 idle -
    30 switch_to 1
    40 idle -
    60 label 1 x
  )");
  CHECK(e.running() == "1: 10-20\n1: 30-40\n");
  CHECK(e.sleeps() == "20-30\n40-60\n");
}

TEST_CASE("6: in a skein trace, sleep is recorded, or is the time between two current tasks") {
  const Example e = ours(R"(
        0 create 1
       10 resume 1
       20 suspend 1
     5020 resume 1
     5030 suspend 1
     5040 resume 1
     5050 executor_end -
     9000 resume 2 @1
     9010 idle - @1 epoll
     9020 wake - @1 epoll
     9030 suspend 2 @1
    19000 resume 2 @1
    19010 suspend 2 @1
    90000 label 1 end
  )");
  CHECK(e.sleeps() == "20-5020\n9010-9020 epoll @1\n");
  CHECK(e.running() ==
        "1: 10-20\n1: 5020-5030\n1: 5040-5050\n"
        "2@1: 9000-9010\n2@1: 9020-9030\n2@1: 19000-19010\n");
}

// ---- rule 8

TEST_CASE("8: activations of one executor do not overlap, whatever the events") {
  //  1 ---===]            resolved at 20, but current until 30
  //  2 ----------====
  const Example e = mirage(R"(
     0 create 1
    10 switch_to 1
    20 resolve 1
    25 switch_to 1
    30 switch_to 2
    30 switch_to 3
    40 idle -
  )");
  CHECK(e.running() == "1: 10-20\n3: 30-40\n");
}

TEST_CASE("8: in a skein trace, executors are independent") {
  //  0:  1 ---=====
  //      2 --------====]        no event suspended 1
  //  1:  3 ------=======
  const Example e = ours(R"(
     0 create 1
     0 create 2
     0 create 3 @1
    10 resume 1
    15 resume 3 @1
    20 resume 2
    20 resume 2
    30 resolve 2 by 3 @1
    35 suspend 3 @1
    40 suspend 2
  )");
  CHECK(e.running() == "1: 10-20\n3@1: 15-35\n2: 20-30\n");
}

TEST_CASE("8: events with equal times keep their order in the trace") {
  const Example e = ours(R"(
     0 create 1
     0 create 2
    10 resume 1
    20 suspend 1
    20 resume 2
    20 suspend 2
    20 resume 1
    30 suspend 1
  )");
  CHECK(e.running() == "1: 10-20\n1: 20-30\n");
}

TEST_CASE("8: a task that was read had ended, whatever the other executor's clock") {
  //  0:  1 ---====-----------==        read 2 at 400
  //                          ↑
  //  1:  2     ==============]         ended at 700 by a clock that is ahead
  const std::string before = R"(
      0 create 1
      0 create 2 @1
     10 resume 1
     20 suspend 1 on 2
     30 resume 2 by 1 @1
  )";
  const Example e = ours(before + "400 resume 1 by 2\n 700 resolve 2 by 2 @1\n 800 suspend 1\n");
  CHECK(e.arrows() == "read 2@400 1@400\n");
  CHECK(e.bars() == "1: 0-1800 open\n2@1: 0-400 resolved\n");
  CHECK(e.running() == "1: 10-20\n2@1: 30-400\n1: 400-800\n");
  // Its later events happened before its end.
  const Example busy = ours(before + "400 resume 1 by 2\n 500 label 2 x\n 700 resolve 2 by 2 @1\n");
  CHECK(busy.bars() == "1: 0-1700 open\n2@1: 0-500 resolved\n");
  // Clocks do not differ by this much: the result was read before the task ended.
  const Example later = ours(before + "400 resume 1 by 2\n 1700 resolve 2 by 2 @1\n");
  CHECK(later.bars() == "1: 0-2700 open\n2@1: 0-1700 resolved\n");
  // One executor has one clock.
  const Example same = ours(before + "400 resume 1 by 2 @1\n 700 resolve 2 by 2 @1\n");
  CHECK(same.bars() == "1: 0-1700 open\n2@1: 0-700 resolved\n");
}
