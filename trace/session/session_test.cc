#include "trace/session/session.h"

#include <doctest/doctest.h>

#include "trace/model/example.h"

using namespace skein;

namespace {

// A millisecond long, with a task that never ends. Its clock read `start` at its beginning, at UTC
// `start + utc_offset`.
std::shared_ptr<SessionTrace> trace_at(uint64_t start, std::optional<int64_t> utc_offset = {}) {
  Trace trace = ours(R"(
          0 create 1
    1000000 label 1 tick
  )")
                    .trace;
  trace.info.start = start;
  trace.info.utc_offset = utc_offset;
  Model model = build_model(trace);
  return std::make_shared<SessionTrace>(std::move(trace), std::move(model));
}

constexpr uint64_t utc = 1'700'000'000'000'000'000;

}  // namespace

TEST_CASE("the common clock begins with the first trace; titles are unique") {
  Session session;
  CHECK(session.first() == 0);
  CHECK(session.last() == 0);
  session.add(trace_at(500), "a.ctf");
  session.add(trace_at(9'000), "a.ctf");
  CHECK(session.size() == 2);
  CHECK(session.zero() == 500);
  CHECK(session[0].title == "a.ctf");
  CHECK(session[1].title == "a.ctf (2)");
  CHECK_FALSE(session.by_clock());
  CHECK(session[1].offset == 0);
  CHECK(session.last() == 1e6);
  CHECK(session[0].on_clock(70) == 70);
  CHECK(session.has_task(1, 0));
  CHECK_FALSE(session.has_task(2, 0));
  CHECK_FALSE(session.has_task(0, no_index));
}

TEST_CASE("traces with UTC that are close together are aligned by it, others by their starts") {
  Session session;
  session.add(trace_at(500, utc), "a");
  session.add(trace_at(300'500, utc), "b");
  CHECK(session.by_clock());
  CHECK(session[1].offset == 300'000);
  CHECK(session.last() == 1.3e6);

  session.align_by_start();
  session.align();
  CHECK_FALSE(session.by_clock());
  CHECK(session[1].offset == 0);

  Session far;
  far.add(trace_at(0, utc), "a");
  far.add(trace_at(3'600'000'000'000, utc), "b");
  CHECK_FALSE(far.by_clock());
  CHECK(far[1].offset == 0);
}

TEST_CASE("times keep their place when a trace is replaced by one that begins later") {
  Session session;
  session.add(trace_at(500), "a");
  session.replace(0, trace_at(2'500));
  CHECK(session[0].title == "a");
  CHECK(session[0].offset == 2'000);
  CHECK(session.zero() == 500);
  session.align();
  CHECK(session[0].offset == 2'000);
}

TEST_CASE("a trace without events sets the clock's zero at its first event") {
  Session session;
  Trace empty;
  Model model = build_model(empty);
  session.add(std::make_shared<SessionTrace>(std::move(empty), std::move(model)), "a");
  CHECK(session.zero() == 0);
  session.replace(0, trace_at(2'500));
  CHECK(session.zero() == 2'500);
  CHECK(session[0].offset == 0);
}

TEST_CASE("a live task extends to the sign of life once the trace grows") {
  Session session;
  session.add(trace_at(0, utc), "a");
  CHECK(session[0].until() == 1'000'000);
  session.set_life(0, {.utc = utc + 5'000'000, .running = true});
  CHECK(session[0].until() == 5'000'000);
  CHECK(session[0].model.end == 1'000'000);
  session.grow(0);
  CHECK(session[0].model.end == 5'000'000);
}
