// Rules 3 and 7 of docs/model.md: waits, wake-ups, and where an arrow begins and ends.
#include "trace/model/example.h"

using namespace skein;

// ---- rule 3

TEST_CASE("3: a read makes the reader current") {
  //      10   20   30
  //  1 --]
  //      ↓
  //  2 ---------=====
  const Example e = mirage(R"(
     0 create 1
     0 create 2
    10 resolve 1
    20 read 2 of 1
    30 idle -
  )");
  CHECK(e.running() == "2: 20-30\n");
  CHECK(e.arrows() == "read 1@10 2@20\n");
}

TEST_CASE("3: a wait and the read that ends it are one arrow") {
  const std::string wait = R"(
     0 create 1
     0 create 2
     5 try_read 2 of 1
  )";
  CHECK(mirage(wait).arrows() == "await 2@5 1@5\n");
  CHECK(mirage(wait + "10 resolve 1\n 20 read 2 of 1\n").arrows() == "read 1@10 2@20\n");
  // Not if another interaction comes in between.
  CHECK(mirage(wait + "10 resolve 1\n 15 notify 3 by 2\n 20 read 2 of 1\n").arrows() ==
        "await 2@5 1@5\n"
        "notify 2@15 3@15\n"
        "read 1@10 2@20\n");
  // Both tasks became others before the read.
  CHECK(
      mirage(wait + "8 create 3\n 10 become 1 into 3\n 12 resolve 1\n 20 read 2 of 1\n").arrows() ==
      "read 3@12 2@20\n");
}

TEST_CASE("3: reads by and of the root draw no arrow") {
  const Example e = mirage(R"(
     0 create 1
     5 read 1 of -
    10 switch_to 1
    20 read - of 1
    30 switch_to 1
    40 resolve 1 by -
  )");
  CHECK(e.arrows() == "");
  CHECK(e.running() == "1: 10-20\n1: 30-40\n");
  CHECK(e.sleeps() == "20-30\n");
}

TEST_CASE(
    "3: in a skein trace, a coroutine awaits another: the wait, the run, the result are one "
    "arrow") {
  //       10     20     30    40
  //  1 ---=======-------------=====]
  //          +-- ======]     ↑
  //  2              ...`-----'
  const Example e = ours(R"(
     0 create 1 as coroutine
    10 resume 1
    15 create 2 under 1 as coroutine
    20 suspend 1 on 2
    21 resume 2 by 1
    30 resolve 2 by 2
    40 resume 1 by 2
    50 resolve 1 by 1
  )");
  CHECK(e.arrows() == "read 2@30 1@40\n");
  CHECK(e.running() == "1: 10-20\n2: 21-30\n1: 40-50\n");
  CHECK(e.bars() ==
        "1: 0-50 resolved\n"
        "2: 15-30 resolved under 1\n");
}

TEST_CASE(
    "3: in a skein trace, a wait and the read that ends it are one arrow; a read starts no run") {
  //  0:  1 ---===...................      polls until 2 has ended
  //                            ↑
  //  1:  2 ----------===]------'
  const std::string wait = R"(
     0 create 1
     0 create 2 @1
    10 resume 1
    20 suspend 1 on 2
    25 resume 2 @1
  )";
  CHECK(ours(wait).arrows() == "await 1@20 2@20\n");
  const Example e = ours(wait + "30 resolve 2 by 2 @1\n 50 ready 1 of 2\n 60 label 1 x\n");
  CHECK(e.arrows() == "read 2@30 1@50\n");
  CHECK(e.running() == "1: 10-20\n2@1: 25-30\n");
  // Not if it acted in between.
  CHECK(ours(wait + "30 resolve 2 by 2 @1\n 40 notify 3 by 1\n 50 ready 1 of 2\n").arrows() ==
        "await 1@20 2@20\n"
        "notify 1@40 3@40\n"
        "read 2@30 1@50\n");
}

TEST_CASE("3: in a skein trace, a task without a waker got the result that it waited for") {
  const Example e = ours(R"(
     0 create 1
     1 create 2
     2 create 3
    10 resume 1
    20 suspend 1
    21 await 1 on 2
    30 fail 2 by 3 because
    40 resume 1
    50 suspend 1 on 3
    60 resume 1 by 3
    70 suspend 1 on 3
  )");
  CHECK(e.arrows() ==
        "resolve 3@30 2@30\n"
        "read-failure 2@30 1@40\n"
        "read 3@60 1@60\n"
        "await 1@70 3@70\n");
}

TEST_CASE("3: in a skein trace, woken by a live task, or by one that notified before") {
  const Example e = ours(R"(
     0 create 1
     0 create 2
    10 resume 1 by 2
    20 suspend 1
    30 notify 1 by 2 =1
    40 resume 1 by 2
    50 create 3 under 1
    50 resume 3 by 1
    60 switch_to 1
  )");
  CHECK(e.arrows() ==
        "notify 2@10 1@10\n"
        "notify 2@30 1@40\n");
  CHECK(e.running() == "1: 10-20\n1: 40-50\n3: 50-60\n");
}

TEST_CASE("3: in a skein trace, from one executor to another") {
  //  0:  1 ===--------===
  //  1:  2   ======]
  const Example e = ours(R"(
     0 create 1
     5 create 2 under 1
    10 resume 1
    12 resume 2 by 1 @1
    20 suspend 1 on 2
    30 resolve 2 by 2 @1
    40 resume 1 by 2
    50 resolve 1 by 1
  )");
  CHECK(e.running() == "1: 10-20\n2@1: 12-30\n1: 40-50\n");
  CHECK(e.arrows() == "notify 1@12 2@12\nread 2@30 1@40\n");
}

// ---- rule 7

TEST_CASE("7: a result leaves where its source's bar ended") {
  //        10        30
  //  1 ----]
  //         `---.
  //  2 ----------`--==>      blue; red when 1 failed
  const std::string two = "0 create 1\n 0 create 2\n";
  CHECK(mirage(two + "10 resolve 1 by 3\n 30 ready 2 of 1\n").arrows() ==
        "resolve 3@10 1@10\nread 1@10 2@30\n");
  CHECK(mirage(two + "10 fail 1 by 3 oh\n 30 ready 2 of 1\n").arrows() ==
        "resolve 3@10 1@10\nread-failure 1@10 2@30\n");
  // A source that has not ended (a damaged trace): the arrow leaves at the read.
  CHECK(mirage(two + "30 ready 2 of 1\n").arrows() == "read 1@30 2@30\n");
}

TEST_CASE(
    "7: in a skein trace, between executors; a read of a failure is one, whatever the event") {
  //  0:  1 ---===]
  //               `------.
  //  1:  2 ---------------`==
  const std::string ended = R"(
     0 create 1
     0 create 2 @1
     5 resume 1
  )";
  CHECK(ours(ended + "10 resolve 1 by 1\n 30 ready 2 of 1 @1\n").arrows() == "read 1@10 2@30\n");
  CHECK(ours(ended + "10 resolve 1 by 1\n 30 resume 2 by 1 @1\n").arrows() == "read 1@10 2@30\n");
  CHECK(ours(ended + "10 fail 1 by 1 oh\n 30 ready 2 of 1 @1\n").arrows() ==
        "read-failure 1@10 2@30\n");
  CHECK(ours(ended + "10 fail 1 by 1 oh\n 30 resume 2 by 1 @1\n").arrows() ==
        "read-failure 1@10 2@30\n");
}

TEST_CASE("7: a signal leaves from the sender; one of the two kinds makes the receiver current") {
  const Example e = mirage(R"(
     0 create 1
     0 create 2
    10 switch_to 1
    20 signal 2 by 1
    30 notify 1 by 2
    40 idle -
  )");
  CHECK(e.arrows() == "notify 1@20 2@20\nnotify 2@30 1@30\n");
  CHECK(e.running() == "1: 10-20\n2: 20-40\n");
}

TEST_CASE("7: in a skein trace, an arrow leaves at its notify and arrives when the receiver runs") {
  //  0:  2 ---===o
  //               `--.
  //  1:  1 -----------`===
  const Example e = ours(R"(
     0 create 1 @1
     0 create 2
    10 resume 2
    20 notify 1 by 2 =1
    40 resume 1 by 2 @1
    50 suspend 1 @1
    60 notify 1 by 2 =1
    70 resume 1 by 3 @1
  )");
  CHECK(e.arrows() ==
        "notify 2@20 1@40\n"
        "notify 2@60 1@60\n"
        "notify 3@70 1@70\n");
}

TEST_CASE("7: messages match by correlation id, whichever is first in the merged order") {
  const Example e = ours(R"(
     0 create 1
     0 create 2 @1
    10 send 1 =77
    20 receive 2 =77 @1
    30 receive 2 =78 @1
    35 send 1 =78
    40 send 1 =79
    50 receive 2 =80 @1
  )");
  CHECK(e.arrows() ==
        "message 1@10 2@20\n"
        "message 1@30 2@35\n"
        "message 1@40 -@40\n"
        "message -@50 2@50\n");
}
