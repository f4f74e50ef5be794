#include "view/viewer/range.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "view/viewer/test_trace.h"

using namespace skein;

TEST_CASE("a range counts its events") {
  const Trace trace = server_trace();
  const Model model = build_model(trace);
  const RangeStatistics all = measure(trace, model, 0, 2e6);
  CHECK(all.created == 5);
  CHECK(all.ended == 2);
  CHECK(all.failed == 0);
  CHECK(all.alive == 5);
  REQUIRE(all.running.size() == 1);
  CHECK(all.running[0] == 60'000 + 40'000 + 50'000);
  REQUIRE(all.counters.size() == 1);
  CHECK(all.counters[0] == std::pair<int64_t, int64_t>(0, 250));

  const RangeStatistics part = measure(trace, model, 130'000, 330'000);
  CHECK(part.created == 1);
  CHECK(part.ended == 1);
  CHECK(part.alive == 3);
  CHECK(part.running[0] == 30'000 + 20'000);
  CHECK(part.counters[0] == std::pair<int64_t, int64_t>(0, 100));
  CHECK(part.interactions[static_cast<size_t>(Model::Link::Read)] == 1);

  CHECK(measure(trace, model, 5, 5).alive == 0);
  CHECK(measure(trace, model, 7, 5).alive == 0);
  CHECK(measure(trace, model, -1e300, 1e300).created == 5);
}

TEST_CASE("tasks last as long as their bars") {
  // The fate of an Lwt thread that never ended is unknown.
  TestTrace t;
  t.trace.info.format = "mirage-profile";
  t.create(0, 1, no_task, "forgotten");
  t.create(100'000, 2, no_task, "stuck");
  t.event(100'000, EventKind::ShouldResolve, 2);
  t.create(200'000, 3, no_task, "ended");
  t.event(300'000, EventKind::Resolve, 3);
  t.create(900'000, 4, no_task, "late");
  const Model model = build_model(t.trace);
  CHECK(measure(t.trace, model, 0, 50'000).alive == 1);
  CHECK(measure(t.trace, model, 250'000, 260'000).alive == 2);
  CHECK(measure(t.trace, model, 400'000, 800'000).alive == 1);
  CHECK(measure(t.trace, model, 2e6, 3e6).alive == 1);
}

TEST_CASE("two halves add up to the whole") {
  const Trace trace = server_trace();
  const Model model = build_model(trace);
  std::mt19937 random(4);
  for (int i = 0; i < 200; i++) {
    double cuts[3];
    for (double& cut : cuts) cut = static_cast<double>(random() % 1'100'000);
    std::sort(cuts, cuts + 3);
    if (cuts[0] == cuts[1] || cuts[1] == cuts[2]) continue;
    const RangeStatistics whole = measure(trace, model, cuts[0], cuts[2]);
    const RangeStatistics left = measure(trace, model, cuts[0], cuts[1]);
    const RangeStatistics right = measure(trace, model, cuts[1], cuts[2]);
    CHECK(whole.created == left.created + right.created);
    CHECK(whole.ended == left.ended + right.ended);
    CHECK(whole.running[0] == left.running[0] + right.running[0]);
    for (size_t link = 0; link < 6; link++)
      CHECK(whole.interactions[link] == left.interactions[link] + right.interactions[link]);
    CHECK(left.counters[0].second == right.counters[0].first);
  }
}
