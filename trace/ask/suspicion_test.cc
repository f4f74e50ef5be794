#include "trace/ask/suspicion.h"

#include <algorithm>

#include "trace/ask/why.h"
#include "trace/model/example.h"

namespace skein {

namespace {

// Of task 1.
Suspicion suspicion(const Example& e) {
  for (const Diagnosis& d : diagnose_all(e.trace, e.model, find_waits(e.trace, e.model)))
    if (e.id(d.chain.front().task) == "1") return d.suspicion;
  FAIL("no diagnosis of task 1");
  return {};
}

// A session whose own address is `own`, beside an acceptor of port 80; it waits to receive since
// the operation `before`, of some bytes.
Suspicion of_session(const std::string& own, const std::string& before = "") {
  const std::string earlier = before.empty()
                                  ? ""
                                  : "1 about 1 of 30\n1 create 2 by 1 as io " + before +
                                        "\n2 resume 2\n2 io 2 of 2 =5\n3 resolve 2\n4 resume 1\n";
  Example e = ours(R"(
     0 create 1 as coroutine session
     0 resource - of 29 as socket
     0 connection - of 29 =6 0.0.0.0:80
     0 resource - of 30 as socket
     0 connection - of 30 =7 peer
     1 resume 1
)" + earlier + R"(
     5 about 1 of 30
     5 create 3 by 1 as io socket.async_receive
     6 suspend 1 on 3
     2000000000 executor_end -
)");
  const auto socket = std::find_if(e.model.objects.begin(), e.model.objects.end(),
                                   [](const Model::Object& object) { return object.id == 30; });
  REQUIRE(socket != e.model.objects.end());
  socket->connection = e.trace.strings.intern(own + " > 10.0.0.9:5000 (tcp, netns 1)");
  return suspicion(e);
}

// A task that waits for a timer that takes `length` ns, after `before`.
Suspicion of_timer(const std::string& length, const std::string& before = "") {
  return suspicion(ours(R"(
     0 create 1 as coroutine beat
     0 resource - of 30 as alarm deadline_timer
     1 resume 1
)" + before + R"(
     20 about 1 of 30
     20 expires 1 =)" + length +
                        R"(
     20 create 2 by 1 as timer
     21 suspend 1 on 2 at 1
     2000000000 executor_end -
)"));
}

}  // namespace

TEST_CASE("suspicion: a session without a request is usual, a client without an answer is not") {
  CHECK(of_session("10.0.0.1:80") == Suspicion::Usual);
  CHECK(of_session("10.0.0.1:80", "socket.async_send") == Suspicion::Usual);
  CHECK(of_session("10.0.0.1:80", "socket.async_receive") == Suspicion::Suspect);
  CHECK(of_session("10.0.0.1:4000") == Suspicion::Suspect);
  CHECK(of_session("10.0.0.1:4000", "socket.async_send") == Suspicion::Suspect);
}

TEST_CASE("suspicion: a timer is slow if it takes long and nothing has ended there") {
  CHECK(of_timer("9000000000") == Suspicion::Usual);
  CHECK(of_timer("50000000000") == Suspicion::Slow);
  const std::string expired = R"(
     2 about 1 of 30
     2 expires 1 =4
     2 create 9 by 1 as timer
     3 suspend 1 on 9 at 1
     4 resolve 9
     5 resume 1
)";
  CHECK(of_timer("50000000000", expired) == Suspicion::Usual);
}

TEST_CASE("suspicion: a timer that another task moves is slow") {
  std::string moves = "1 create 5 as coroutine feed\n";
  for (int id = 10; id < 13; id++) {
    const std::string timer = std::to_string(id);
    moves += "2 about 1 of 30\n2 expires 1 =5000\n2 create " + timer + " by 1 as timer\n" +
             "3 suspend 1 on " + timer + "\n4 resume 5\n5 cancel_uses 5 of 30\n6 suspend 5\n" +
             "7 fail " + timer + " by 5 cancelled\n8 resume 1 by " + timer + "\n";
  }
  CHECK(of_timer("50000000000", moves) == Suspicion::Slow);
  CHECK(of_timer("5000000000", moves) == Suspicion::Slow);
}

}  // namespace skein
