#include "trace/ask/mutual_sends.h"

#include "trace/ask/example.h"
#include "trace/ask/why.h"

namespace skein {

namespace {

// The client 2 sends on the socket 30 and the server 3 on 31, its other end. The server has
// received before (11).
const std::string both_send = R"(
     0 create 1 as coroutine main
     0 resource 1 of 30 as socket
     0 resource 1 of 31 as socket
     1 create 2 by 1 as coroutine client
     1 create 3 by 1 as coroutine server
     2 resume 3
     3 about 3 of 31
     3 create 11 by 3 as io socket.async_receive
     4 suspend 3 on 11
     5 resolve 11
     6 resume 3
     7 about 3 of 31
     7 create 12 by 3 as io socket.async_send
     8 suspend 3 on 12
     9 resume 2
)";
const std::string client_sends = R"(
    11 about 2 of 30
    11 create 13 by 2 as io socket.async_send
    12 suspend 2 on 13
)";

Diagnosis sends_of(const std::string& events, TaskId task, uint64_t until = 3'000'000'000) {
  Example e = ours(events, {.until = until});
  const auto connect = [&](uint64_t id, std::string_view connection) {
    for (Model::Object& object : e.model.objects)
      if (object.id == id) object.connection = e.trace.strings.intern(connection);
  };
  connect(30, "10.0.0.1:1 > 10.0.0.2:2 (tcp, netns 1)");
  connect(31, "10.0.0.2:2 > 10.0.0.1:1 (tcp, netns 1)");
  return diagnose(e.trace, e.model, find_waits(e.trace, e.model), e.model.find(task));
}

}  // namespace

TEST_CASE("both ends of a connection wait to send, and nothing is left that reads") {
  const Diagnosis client = sends_of(both_send + client_sends, 2);
  REQUIRE(client.mutual_sends);
  CHECK(client.verdict == Verdict::Deadlock);
  CHECK(client.is_error());
  CHECK(client.mutual_sends->since == 11);
  CHECK(client.mutual_sends->last_read == no_index);
  CHECK(sends_of(both_send + client_sends, 3).mutual_sends->last_read != no_index);
  CHECK(!sends_of(both_send + client_sends, 2, 900'000'000).is_error());  // for less than a second
}

TEST_CASE("a receive that is pending ends it") {
  const std::string reader = R"(
    10 about 2 of 30
    10 create 14 by 2 as io socket.async_receive
)";
  CHECK(!sends_of(both_send + reader + client_sends, 2).mutual_sends);
  CHECK(!sends_of(both_send + reader + client_sends, 3).mutual_sends);
}

TEST_CASE("a task that has read before may read again") {
  const std::string other_reader = R"(
    10 create 4 by 1 as coroutine reader
    10 resume 4 by 2
    10 about 4 of 30
    10 create 14 by 4 as io socket.async_receive
    10 suspend 4 on 14
    10 resolve 14
    10 resume 4
)";
  CHECK(!sends_of(both_send + other_reader + client_sends + "13 suspend 4", 2).mutual_sends);
  // It has ended; main, which created it, may create another one.
  CHECK(!sends_of(both_send + other_reader + "10 resolve 4\n10 resume 2" + client_sends, 2).mutual_sends);
  // main waits for the client: no task creates another one.
  CHECK(sends_of("0 create 1 as coroutine main\n" + both_send + other_reader +
               "10 resolve 4\n10 resume 2" + client_sends + "13 resume 1\n14 suspend 1 on 2",
           2)
            .mutual_sends);
}

TEST_CASE("two ends that have never received anything may have readers that come later") {
  const std::string both_new = R"(
     0 create 1 as coroutine main
     0 resource 1 of 30 as socket
     0 resource 1 of 31 as socket
     1 create 2 by 1 as coroutine client
     1 create 3 by 1 as coroutine server
     6 resume 3
     7 about 3 of 31
     7 create 12 by 3 as io socket.async_send
     8 suspend 3 on 12
     9 resume 2
)";
  CHECK(!sends_of(both_new + client_sends, 2).mutual_sends);
}

}  // namespace skein
