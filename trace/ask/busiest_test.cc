#include "trace/ask/busiest.h"

#include <doctest/doctest.h>

#include <map>
#include <random>

#include "trace/ask/random_program.h"
#include "trace/model/example.h"

using namespace skein;

TEST_CASE("the task that ran longest on an executor in an interval") {
  //      0    5    10   15   20
  //  1   ===       ==            on executor 0
  //  2      =======  =====       on executor 0
  //  3   ====================    on executor 1
  Model model;
  model.tasks.resize(4);
  model.activations = {{0, 3, 1, 0}, {0, 20, 3, 1}, {3, 10, 2, 0}, {10, 12, 1, 0}, {12, 17, 2, 0}};
  Busiest busiest(model);
  CHECK(busiest.on(0, 0, 20) == 2);
  CHECK(busiest.on(0, 0, 5) == 1);
  CHECK(busiest.on(0, 0, 5, 1) == 2);
  CHECK(busiest.on(0, 9, 12) == 1);
  CHECK(busiest.on(0, 4, 6) == 2);      // one activation covers the interval
  CHECK(busiest.on(0, 1, 5) == 1);      // both ran 2: the first
  CHECK(busiest.on(0, 11, 13) == 1);    // both ran 1: the first
  CHECK(busiest.on(0, 9, 13, 2) == 1);  // nothing remains of another query
  CHECK(busiest.on(1, 0, UINT64_MAX) == 3);
  CHECK(busiest.on(1, 0, 20, 3) == no_index);
  CHECK(busiest.on(0, 17, 20) == no_index);
  CHECK(busiest.on(0, 6, 4) == no_index);
  CHECK(busiest.on(2, 0, 20) == no_index);

  CHECK(busiest.between(0, 3, 10).size() == 1);
  CHECK(busiest.between(0, 2, 11).size() == 3);
  CHECK(busiest.between(0, 5, 5).empty());
  CHECK(busiest.between(2, 0, 20).empty());
}

TEST_CASE("random programs: the same result as a full count") {
  std::mt19937 random(5);
  for (uint32_t seed = 1; seed <= programs_of(200); seed++) {
    const RandomProgram program(seed, static_cast<RandomProgram::Fault>(seed % 7));
    const Model model = build_model(program.trace, {.simplify = false});
    Busiest busiest(model);
    CAPTURE(seed);
    for (int i = 0; i < 20; i++) {
      const auto executor = static_cast<uint32_t>(random() % (program.trace.executors.size() + 1));
      const uint64_t begin = random() % model.end;
      const uint64_t end = begin + random() % (model.end - begin + 1);
      const auto but = static_cast<TaskIndex>(random() % model.tasks.size());
      std::map<TaskIndex, uint64_t> ran;
      uint64_t most = 0;
      for (const Model::Activation& a : model.activations) {
        const uint64_t from = std::max(a.start, begin);
        const uint64_t to = std::min(a.end, end);
        if (a.executor == executor && a.task != but && from < to)
          most = std::max(most, ran[a.task] += to - from);
      }
      const TaskIndex found = busiest.on(executor, begin, end, but);
      REQUIRE((found == no_index) == (most == 0));
      if (most != 0) REQUIRE(ran[found] == most);
    }
  }
}
