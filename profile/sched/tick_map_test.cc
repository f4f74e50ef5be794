#include "profile/sched/tick_map.h"

#include <doctest/doctest.h>

using namespace skein;

TEST_CASE("times between two readings of both clocks are interpolated, others extrapolated") {
  TickMap map;
  map.add({.counter = 1000, .monotonic_ns = 100});
  map.add({.counter = 3000, .monotonic_ns = 200});
  map.add({.counter = 3000, .monotonic_ns = 200});  // no time has passed
  map.add({.counter = 3300, .monotonic_ns = 300});
  CHECK(map.counter(50) == 0);
  CHECK(map.counter(90) == 800);
  CHECK(map.counter(150) == 2000);
  CHECK(map.counter(200) == 3000);
  CHECK(map.counter(250) == 3150);
  CHECK(map.counter(400) == 3600);
}

TEST_CASE("large numbers do not overflow") {
  TickMap map;
  map.add({.counter = uint64_t{1} << 62, .monotonic_ns = uint64_t{1} << 61});
  map.add({.counter = (uint64_t{1} << 62) + 3'000'000'000,
           .monotonic_ns = (uint64_t{1} << 61) + 1'000'000'000});
  CHECK(map.counter((uint64_t{1} << 61) + 500'000'000) == (uint64_t{1} << 62) + 1'500'000'000);
}
