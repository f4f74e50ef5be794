#include "trace/ask/on_their_way.h"

#include "trace/ask/example.h"
#include "trace/ask/why.h"

namespace skein {

namespace {

// 2 waits to receive on the thread 1, which runs 3 from 5 ms to the end.
AnalyzedExample busy(const std::string& end) {
  return AnalyzedExample(R"(
     0 create 1 as coroutine session
     0 resource 1 of 30 as socket
     1 about 1 of 30
     1 create 2 by 1 as io socket.async_receive @1
     1 suspend 1 on 2 @1
     2 create 4 as coroutine other @2
     3 resume 4 @2
     5000000 create 3 as coroutine busy @1
     5000000 resume 3 @1
)" + end);
}

std::optional<OnTheirWay> find(const AnalyzedExample& e, uint64_t received, uint64_t sent) {
  return find_on_their_way(e.subject(), e.e.model.find(2), {.received = received}, {.sent = sent},
                           is_end_known(e.e.model));
}

}  // namespace

TEST_CASE("bytes are on their way if the other end has sent more than were received") {
  const AnalyzedExample e = busy("6000000 suspend 4 @2");
  CHECK(!find(e, 24, 24));
  CHECK(!find(e, 25, 24));
  REQUIRE(find(e, 24, 36));
  CHECK(find(e, 24, 36)->bytes == 12);
  CHECK(find(e, 24, 36)->busy == no_index);  // the end is unknown
}

TEST_CASE("the thread that should read them is busy") {
  AnalyzedExample e = busy("6000000 suspend 4 @2");
  e.e.trace.info.ended = 300'000'000;
  e.e.model = build_model(e.e.trace, {.simplify = false});
  e.waits = find_waits(e.e.trace, e.e.model);
  CHECK(find(e, 0, 1)->busy == e.e.model.find(3));
  CHECK(find(e, 0, 1)->busy_since == 5'000'000);
  e.e.model.end = 104'999'999;  // less than 100 ms
  CHECK(find(e, 0, 1)->busy == no_index);
}

TEST_CASE("a task of another thread does not delay the receive") {
  AnalyzedExample e = busy("6000000 suspend 3 @1");
  e.e.trace.info.ended = 300'000'000;
  e.e.model = build_model(e.e.trace, {.simplify = false});
  e.waits = find_waits(e.e.trace, e.e.model);
  CHECK(find(e, 0, 1)->busy == no_index);
}

TEST_CASE("lost events may be receives") {
  AnalyzedExample e = busy("");
  e.e.trace.losses.push_back({.what = "event truncated"});
  CHECK(!find(e, 24, 36));
}

}  // namespace skein
