// Events that only skein traces have: resources, scopes, spans (docs/model.md, "Events of a skein
// trace").
#include "trace/model/example.h"

using namespace skein;

TEST_CASE("a resource has a bar if it has a name or a waiter") {
  //  8 mutex +---o------------     orange: the release that woke 1
  //  1           |===...===
  const Example e = ours(R"(
     0 resource 1 of 7 as mutex
     0 resource 1 of 8 as mutex
     0 resource 1 of 9 as condition answer
     5 acquire 1 of 7
     6 notify 7 by 1 =0
     7 ready 1 of 7
     8 notify 9 by 1 =0
    10 suspend 1 on 8 =1
    20 notify 8 by 2 =1
    21 resume 1 by 8
    30 notify 8 by 1 =0
    40 resolve 8 by 1
    50 resolve 7 by 1
  )");
  CHECK(e.bars() ==
        "1: 0-1050 open from-before\n"
        "9: 0-1008 open under 1 resource\n"
        "8: 0-40 resolved under 1 resource\n"
        "2: 0-1020 open from-before\n");
  CHECK(e.arrows() ==
        "notify 1@8 9@8\n"
        "await 1@10 8@10\n"
        "notify 2@20 8@20\n"
        "notify 8@21 1@21\n");
  CHECK(e.model.find(7) == no_index);
}

TEST_CASE("the next operation that the executor creates uses the object") {
  const Example e = ours(R"(
     0 resource 1 of 30 as alarm
     1 about 1 of 30
     2 create 9 under 1 @1
     3 expires 1 =100
     3 create 2 under 1
     4 create 3 under 1
     5 about 1 of 31
     6 create 4 under 1
     7 cancel_uses 1 of 30
     8 about 1 of 30
     9 create 5 under 1
    10 cancel_uses 5 of 30
    11 resolve 30 by 5
  )");
  const auto use = [&](TaskId id) { return e.model.concern(e.model.find(id)); };
  REQUIRE(use(2) != nullptr);
  REQUIRE(use(4) != nullptr);
  REQUIRE(use(5) != nullptr);
  CHECK(use(3) == nullptr);
  CHECK(use(9) == nullptr);
  CHECK(e.model.find(30) == no_index);  // it has no bar
  const Model::Object& object = e.model.objects[use(2)->object];
  CHECK(object.id == 30);
  CHECK(object.end == 11);
  CHECK(object.ended_by == e.model.find(5));
  CHECK(use(2)->expires == 103);
  CHECK(use(5)->object == use(2)->object);
  CHECK(&e.model.concerns[use(5)->before] == use(2));
  CHECK(e.model.objects[use(4)->object].pre_existing);
  const Model::Cancel& last = e.model.cancels[object.last_cancel];
  CHECK(last.time == 10);
  CHECK(last.by == e.model.find(5));
  CHECK(e.model.cancels[last.before].time == 7);
}

TEST_CASE("a scope is entered, has members, is cancelled and exited") {
  const Example e = ours(R"(
     0 create 1
    10 scope_enter 1 of 5 nursery
    11 create 2 under 1
    12 scope_member 2 of 5
    20 scope_cancel 1 of 5
    30 cancel 2 by 1
    40 scope_exit 1 of 5
    50 scope_enter 1 of 6
    60 scope_exit 1 of 6
  )");
  CHECK(e.bars() ==
        "1: 0-1060 open\n"
        "5: 10-40 cancelled under 1 scope\n"
        "2: 11-30 cancelled under 5\n"
        "6: 50-60 resolved under 1 scope\n");
  CHECK(e.arrows() == "notify 1@20 5@20\nresolve 1@30 2@30\n");
}

TEST_CASE("spans may cross, begin before the trace and extend beyond it") {
  const Example e = ours(R"(
     0 create 1
    10 span_begin 1 =100 outer
    20 span_begin 1 =101 inner
    30 span_end 1 =100 outer
    40 span_end 1 =99 before
    50 resolve 1 by 1
    60 label 2 x
  )");
  std::string text;
  for (const Model::Span& span : e.model.spans)
    text += std::string(e.trace.strings[span.name]) + " " + e.id(span.task) + ": " +
            std::to_string(span.start) + "-" + std::to_string(span.end) + "\n";
  CHECK(text == "before 1: 0-40\nouter 1: 10-30\ninner 1: 20-50\n");
}
