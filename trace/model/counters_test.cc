// Rule 6 of docs/model.md, counters.
#include "trace/model/example.h"

using namespace skein;

TEST_CASE("6: counters are added to and set; names with the same stem share a scale") {
  const Example e = mirage(R"(
     0 counter_add 1 =5 queue#b
    10 counter_add 1 =-7 queue#b
    20 counter_set 1 =3 queue#a
    30 counter_set 1 =100 alone
    40 counter_add 1 =1 queue
  )");
  CHECK(e.counters() ==
        "alone 0..100: 30=100\n"
        "queue 0..1: 40=1\n"
        "queue#a -2..5: 20=3\n"
        "queue#b -2..5: 0=5 10=-2\n");
  CHECK(e.model.scales.size() == 3);
  CHECK(e.model.labels.empty());
}

TEST_CASE("6: in a skein trace, whichever task counts on whichever executor") {
  //       0    10   20   30
  //       ┌────┐         ┌──── 7
  //       5    └─── -2 ──┘
  const Example e = ours(R"(
     0 counter_add 1 =5 queue#b
    10 counter_add - =-7 queue#b @1
    20 counter_set 2 =3 queue#a @2
    30 counter_add 1 =9 queue#b @2
  )");
  CHECK(e.counters() ==
        "queue#a -2..7: 20=3\n"
        "queue#b -2..7: 0=5 10=-2 30=7\n");
  CHECK(e.model.labels.empty());
}
