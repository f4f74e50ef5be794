// "A ring" of docs/model.md: tasks whose create event was overwritten.
#include "trace/model/example.h"

using namespace skein;

TEST_CASE("a ring: a task that has waited since before the trace has a bar, a name, and an arrow") {
  //       0      10 us  20 us
  //  1 ------------------->    serve, waits for 3
  //  3 ------------------->    an accept
  //  4 ------------------->    session, a child of 1; its target is unknown
  //  9        ====]            the only task with events
  const Example e = ring(R"(
     10000 create 9
     10000 resume 9
     15000 resolve 9 by 9
     20000 idle -
  )",
                         R"(
     -50 suspended 1 on 3 as coroutine serve
     -40 created   3 under 1 as io accept @1
     -10 suspended 4 under 1 as coroutine session
  )");
  CHECK(e.bars() ==
        "9: 10000-15000 resolved\n"
        "1: 0-20000 open from-before\n"
        "3@1: 0-20000 open under 1 from-before late\n"
        "4: 0-20000 open under 1 from-before late\n");
  CHECK(e.arrows() == "await 1@0 3@0\n");
  const Model::Task& serve = e.model.tasks[e.model.find(1)];
  CHECK(e.trace.strings[serve.name] == "serve");
  CHECK(e.trace.strings[e.trace.kinds[serve.kind]] == "coroutine");
}

TEST_CASE("a ring: events take precedence") {
  //       0     5 us   10 us
  //  1 ---------===]         ends after the table was read
  //  2    ---------------->  created in the trace
  //  3 ---------===------->  waits again
  //  5    .   .   ==]        became 6; the table has 6 as the successor of 5
  //  6             ------->
  const Example e = ring(R"(
        0 create 2 as thing
     1000 create 6 as thing
     5000 resume 1 by 2
     6000 resume 3 by 1 @1
     7000 suspend 3 on 2 @1
     8000 resolve 1 by 1
     8500 become 5 into 6
     9000 notify 2 by 3 @1
    10000 executor_end -
  )",
                         R"(
       -9 suspended 1 on 2 as coroutine query
     2000 suspended 2 as coroutine other
     7000 suspended 3 on 2 as coroutine third
     8500 suspended 6 on 2 as coroutine wrong
  )");
  CHECK(e.bars() ==
        "2: 0-10000 open\n"
        "6: 1000-10000 open\n"
        "1: 0-8000 resolved from-before\n"
        "3@1: 0-10000 open from-before\n"
        "5: 0-8500 became 6 from-before\n");
  CHECK(e.arrows() ==
        "notify 2@5000 1@5000\n"
        "notify 1@6000 3@6000\n"
        "await 3@7000 2@7000\n"
        "await 6@8500 2@8500\n"
        "notify 3@9000 2@9000\n");
  CHECK(e.trace.strings[e.model.tasks[e.model.find(1)].name] == "query");
  CHECK(e.model.tasks[e.model.find(2)].name == 0);  // its create event has none
}

TEST_CASE("a ring: a task in the table is live, however old its last event is") {
  const std::string events = R"(
        0 create 1
        0 create 2
    50000 create 3
  )";
  const Example e = ring(events, "0 created 1", 40000);
  CHECK(e.bars() ==
        "1: 0-50000 open\n"
        "2: 0-1000 overwritten\n"
        "3: 50000-51000 open\n");
  CHECK(ring(events, "10 created 7", 40000).bars() ==
        "1: 0-1000 overwritten\n"
        "2: 0-1000 overwritten\n"
        "3: 50000-51000 open\n"
        "7: 10-50000 open from-before\n");
}

TEST_CASE("a ring: a task created after the last event is not shown") {
  CHECK(ring("10000 create 1", "10001 created 2").bars() == "1: 10000-11000 open\n");
}

TEST_CASE("a ring: resources with a waiter or a name have bars") {
  //   20 is a mutex that 1 has waited for since before the trace; 21 has no waiter.
  const Example e = ring(R"(
     1000 create 2
     1000 resume 2
     2000 notify 20 by 2 =0
     5000 executor_end -
  )",
                         R"(
     -9 suspended 1 on 20
     -8 resource 20 on 2 as mutex
     -8 resource 21 as mutex
     -8 resource 22 as queue jobs
  )");
  CHECK(e.bars() ==
        "2: 1000-6000 open\n"
        "20: 0-5000 open from-before resource\n"
        "1: 0-5000 open from-before\n"
        "22: 0-5000 open from-before resource\n");
  CHECK(e.arrows() == "await 1@0 20@0\n");
}

TEST_CASE("a ring: a resource in the table may have been created in the trace") {
  const Example e = ring(R"(
     1000 create 1
     1000 resume 1
     2000 resource 1 of 20 as mutex lock
     5000 executor_end -
  )",
                         "2000 resource 20 as mutex lock");
  CHECK(e.bars() == "1: 1000-6000 open\n20: 2000-5000 open under 1 resource\n");
}

TEST_CASE("a ring: a task that resumed after the table was read does not wait") {
  const Example e = ring(R"(
     1000 create 2
     3000 resume 1 by 2
     9000 executor_end -
  )",
                         "-5 suspended 1 on 2");
  CHECK(e.arrows() == "notify 2@3000 1@3000\n");
}

TEST_CASE("a ring: the table of another trace") {
  // A cycle of parents; tasks that wait for themselves or for none; an invalid id.
  const Example e = ring("1000 create 1",
                         R"(
     -5 suspended 2 on 2 under 3
     -5 suspended 3 on 77 under 2
     -5 suspended 4 under 4
  )");
  CHECK(e.arrows().empty());
  for (TaskId id = 2; id <= 4; id++) CHECK(e.model.find(id) != no_index);
  CHECK(e.model.find(77) == no_index);
}

TEST_CASE("a ring: a task without a row that began before all streams are complete has ended") {
  // 1 acts later: its row was unreadable. 2 is only the waker of another task. 3 is the target of a
  // live task. 4 was created later. 5 ended in the trace.
  const Example e = ring(R"(
        0 create 1
        0 create 3
    10000 resume 1 by 2
    11000 suspend 1
    12000 create 4
    12000 create 5
    13000 resolve 5
  )",
                         "-5 suspended 9 on 3", 10000);
  const auto how = [&](TaskId id) { return e.model.tasks[e.model.find(id)].how; };
  CHECK(how(1) == Model::End::Open);
  CHECK(how(2) == Model::End::Overwritten);
  CHECK(how(3) == Model::End::Open);
  CHECK(how(4) == Model::End::Open);
  CHECK(how(5) == Model::End::Resolved);
  CHECK(how(9) == Model::End::Open);
}

TEST_CASE("a ring whose program has ended has no live task") {
  Trace trace;
  trace.info.format = "skein";
  trace.info.overwritten_packets = 7;
  trace.executors.resize(1);
  trace.events.append(event(trace, "10 resume 1 by 2"));
  trace.events.append(event(trace, "20 resolve 1"));
  const Model ring = build_model(trace);
  CHECK(ring.tasks[ring.find(2)].how == Model::End::Overwritten);
  trace.info.overwritten_packets = 0;  // a log: 2 was created before recording began
  const Model log = build_model(trace);
  CHECK(log.tasks[log.find(2)].how == Model::End::Open);
}
