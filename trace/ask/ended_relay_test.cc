#include "trace/ask/ended_relay.h"

#include "trace/ask/example.h"

namespace skein {

namespace {

// 1 has started 2, which waits to receive from the socket 30. `creator` has started 3, which has
// sent to a socket, and whose last receive failed with this reason.
TaskId found(const std::string& sends_to, const std::string& receives_from,
             const std::string& reason = "End of file", const std::string& creator = "1",
             const std::string& end = "3 resolve 3\n") {
  AnalyzedExample e(
      "0 create 1 as coroutine relay\n0 create 8 as coroutine other\n"
      "0 create 2 under 1 as coroutine pump\n0 create 3 under " +
      creator +
      " as coroutine pump\n0 resource 1 of 30 as socket\n0 resource 1 of 31 as socket\n"
      "0 about - of 30\n0 create 6 under 2 as io socket.async_receive\n0 suspend 2 on 6\n"
      "1 about - of " +
      sends_to + "\n1 create 4 under 3 as io socket.async_send\n2 resolve 4\n2 about - of " +
      receives_from + "\n2 create 5 under 3 as io socket.async_receive\n" + end +
      "3 fail 5 reason\n");
  e.e.model.tasks[e.e.model.find(5)].reason = e.e.trace.strings.intern(reason);
  const auto relay = find_ended_relay(e.subject(), e.e.model.find(2), e.e.model.find(6));
  if (relay) CHECK(relay->receive == e.e.model.find(5));
  return relay ? e.e.model.tasks[relay->task].id : 0;
}

}  // namespace

TEST_CASE("the other half of a relay has ended at the end of its source") {
  CHECK(found("30", "31") == 3);
  CHECK(found("31", "31") == 0);  // has not sent there
  CHECK(found("30", "30") == 0);  // has read from the same socket
}

TEST_CASE("a task is no half of a relay if another task created it, or it has not ended so") {
  CHECK(found("30", "31", "Connection reset by peer") == 0);
  CHECK(found("30", "31", "End of file", "8") == 0);
  CHECK(found("30", "31", "End of file", "1", "") == 0);
}

}  // namespace skein
