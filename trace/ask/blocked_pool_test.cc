#include "trace/ask/blocked_pool.h"

#include <doctest/doctest.h>

#include "trace/ask/invoked.h"
#include "trace/ask/why.h"
#include "trace/model/example.h"

namespace skein {

namespace {

// The threads 0 and 1 of a pool run handlers (2, 3), in those of operations (8, 9), that have
// posted others (4, 5).
const std::string both_threads = R"(
    0 create 1 as handler pool.post
    0 create 8 as io receive
    0 create 9 as io receive
    1 resume 1 @1
    2 resolve 1 @1
    3 create 6 as handler pool.post
    3 resume 6 @0
    4 resolve 6 @0
    5 resume 8 @0
    5 create 2 by 8 as handler strand.post @0
    5 resume 2 by 8 @0
    6 resume 9 @1
    6 create 3 by 9 as handler strand.post @1
    6 resume 3 by 9 @1
    7 create 4 by 2 as handler pool.post @0
    8 create 5 by 3 as handler pool.post @1
)";

Example at_end(const std::string& events) { return ours(events, {.until = 2'000'000'000}); }

std::vector<Diagnosis> diagnoses(const Example& e) {
  return diagnose_all(e.trace, e.model, find_waits(e.trace, e.model));
}

}  // namespace

TEST_CASE("all threads of a pool run handlers that have posted others") {
  const Example e = at_end(both_threads);
  const std::vector<Diagnosis> found = diagnoses(e);
  REQUIRE(found.size() >= 2);
  CHECK(found[0].verdict == Verdict::Running);  // first the reason, then what waits
  CHECK(found[0].is_error());
  CHECK(found[0].similar.size() == 1);
  REQUIRE(found[0].pool);
  CHECK(found[0].pool->context == "pool");
  CHECK(found[0].pool->threads == 2);
  CHECK(found[0].pool->queued == 2);
  CHECK(found[0].pool->posted == 2);
  CHECK(found[1].verdict == Verdict::Starved);
}

TEST_CASE("jobs of a thread pool that have posted others may be long, and not wait for them") {
  std::string events = both_threads;
  for (size_t at = 0; (at = events.find(" pool.", at)) != events.npos; at += 8)
    events.replace(at, 6, " thread_pool.");
  const Example e = at_end(events);
  const std::vector<Diagnosis> found = diagnoses(e);
  const auto runs = std::find_if(found.begin(), found.end(), [](const Diagnosis& d) {
    return d.verdict == Verdict::Running && d.pool;
  });
  REQUIRE(runs != found.end());
  CHECK(runs->pool->posted == 2);
  CHECK(!runs->is_error());
}

TEST_CASE("handlers that wait for strands which the runs occupy") {
  // 2 runs in the strand 50, 3 in 51.
  const auto strand = [](const std::string& events, const std::string& create,
                         const std::string& by, const std::string& of) {
    const size_t at = events.find(create);
    REQUIRE(at != events.npos);
    return events.substr(0, at) + "5 about " + by + " of " + of + (by == "9" ? " @1\n" : " @0\n") +
           events.substr(at);
  };
  const std::string in_strands =
      "0 resource - of 50 as strand\n0 resource - of 51 as strand\n" +
      strand(strand(both_threads, "5 create 2", "8", "50"), "6 create 3", "9", "51");
  const auto post = [](const std::string& id, const std::string& by, const std::string& of) {
    const std::string thread = by == "3" ? " @1\n" : " @0\n";
    return "9 about " + by + " of " + of + thread + "9 create " + id + " by " + by +
           " as handler strand.post" + thread;
  };
  const auto pool_of = [](const std::string& events) {
    const Example e = at_end(events);
    for (const Diagnosis& d : diagnoses(e))
      if (d.pool) {
        std::string text = std::to_string(d.pool->in_strands);
        for (const TaskIndex task : d.pool->strands) text += " " + e.id(task);
        return text;
      }
    return std::string();
  };
  CHECK(pool_of(in_strands) == "0");
  CHECK(pool_of(in_strands + post("10", "2", "51")) == "1");
  CHECK(pool_of(in_strands + post("10", "2", "51") + post("11", "3", "50")) == "2 2 3");
  CHECK(pool_of(in_strands + post("10", "2", "50") + post("11", "3", "51")) == "2");
}

TEST_CASE("a thread of the pool is idle") {
  const Example e = at_end(both_threads +
                           "9 resolve 3 @1\n 9 switch_to 9 @1\n"
                           "9 resolve 9 @1\n");
  for (const Diagnosis& d : diagnoses(e)) CHECK(!d.pool);
}

TEST_CASE("no handler waits for the threads") {
  const Example e = at_end(both_threads +
                           "9 resume 4 by 2 @0\n 9 resolve 4\n 9 switch_to 2 @0\n"
                           "9 resume 5 by 3 @1\n 9 resolve 5\n 9 switch_to 3 @1\n");
  for (const Diagnosis& d : diagnoses(e)) {
    CHECK(!d.pool);
    CHECK(!d.is_error());
  }
}

TEST_CASE("the operation whose handler runs inside it") {
  Example e = ours(both_threads);
  e.trace.locations.resize(3);
  e.model.tasks[e.model.find(8)].location = 2;
  const Waits waits = find_waits(e.trace, e.model);
  const Subject subject{e.trace, e.model, waits};
  CHECK(invoker(subject, e.model.find(2)) == e.model.find(8));
  CHECK(invoker(subject, e.model.find(8)) == no_index);
  CHECK(invoker(subject, e.model.find(4)) == no_index);
  CHECK(location_of_invoked(subject, e.model.find(2)) == 2);
  CHECK(location_of_invoked(subject, e.model.find(3)) == 0);
}

}  // namespace skein
