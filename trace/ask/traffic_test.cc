#include "trace/ask/traffic.h"

#include "trace/ask/why.h"
#include "trace/model/example.h"

namespace skein {

namespace {

// 2 sends 100 bytes on the socket 30, 3 receives 7, 4 waits to receive; 5 uses another socket.
const std::string both_ways = R"(
     0 create 1 as coroutine session
     0 resource 1 of 30 as socket
     0 connection 1 of 30 =7 peer:1
     0 resource 1 of 31 as socket
     1 about 1 of 30
     1 create 2 by 1 as io socket.async_send
     2 about 1 of 30
     2 create 3 by 1 as io socket.async_receive
     2 about 1 of 31
     2 create 5 by 1 as io socket.async_send
     3 resume 2
     3 io 2 of 2 =100
     4 resolve 2
     5 resume 3
     5 io 3 of 3 =7
     6 resolve 3
     7 resume 5
     7 io 5 of 5 =1
     7 io 5 of 99 =1
)";

Verdict verdict_of(const Example& e, TaskId task, bool& asks) {
  const Diagnosis d = diagnose(e.trace, e.model, find_waits(e.trace, e.model), e.model.find(task));
  asks = d.asks;
  return d.verdict;
}

}  // namespace

TEST_CASE("the bytes of a socket are those of its operations") {
  const Example e = ours(both_ways);
  const std::vector<Traffic> traffic = find_traffic(e.trace, e.model);
  REQUIRE(traffic.size() == 2);
  CHECK(traffic[0].sent == 100);
  CHECK(traffic[0].sent_at == 3);
  CHECK(traffic[0].received == 7);
  CHECK(traffic[0].received_at == 5);
  CHECK(traffic[1].sent == 1);
  CHECK(traffic[1].received_at == Traffic::never);
  CHECK(peer_of(e.trace, e.model, e.model.find(2)) == "peer:1");
  CHECK(peer_of(e.trace, e.model, e.model.find(5)) == "");
  CHECK(peer_of(e.trace, e.model, e.model.find(1)) == "");
}

TEST_CASE("the task table has the bytes that a ring has overwritten") {
  Example e = ring(both_ways, "1 resource 30 as socket");
  e.trace.live_tasks[0].traffic = {.sent = 5000, .sent_at = -3};
  const std::vector<Traffic> traffic = find_traffic(e.trace, e.model);
  CHECK(traffic[0].sent == 5000);
  CHECK(traffic[0].sent_at == -3);
  CHECK(traffic[0].received_at == Traffic::never);
  CHECK(traffic[1].sent == 1);
}

TEST_CASE("calls that no hook sees move bytes, too") {
  Example e = ours(both_ways);
  const auto reading = [](uint64_t time, uint64_t sent) {
    return SocketBytesReading{.time = time, .socket = 30, .sent = sent, .state = 1};
  };
  // In the order of the threads that asked.
  e.trace.socket_bytes = {reading(4, 130), reading(0, 5), reading(3, 107)};
  e.trace.socket_bytes.push_back({.time = 7, .socket = 77, .sent = 1});
  std::vector<Traffic> traffic = find_traffic(e.trace, e.model);
  REQUIRE(traffic[0].unseen);
  CHECK(traffic[0].unseen->sent_before == 5);
  CHECK(traffic[0].unseen->sent == 25);
  CHECK(traffic[0].unseen->received == 0);
  CHECK(!traffic[1].unseen);

  Traffic of;
  CHECK(!of.awaits_reply());
  of.unseen.emplace();
  CHECK(!of.awaits_reply());
  of.unseen->sent = 812;
  CHECK(of.awaits_reply());
  of.may_have_received = true;
  CHECK(!of.awaits_reply());
}

TEST_CASE("a task waits for an answer if its program made the connection and sent last") {
  const auto session = [](const std::string& first, const std::string& last) {
    return ours(R"(
     0 create 1 as coroutine session
     0 resource 1 of 30 as socket
     1 about 1 of 30
     1 create 2 by 1 as io socket.async_)" +
                first + R"(
     2 resume 2
     2 resolve 2
     2 connection 1 of 30 =7 peer:1
     3 about 1 of 30
     3 create 3 by 1 as io socket.async_)" +
                last + R"(
     4 resume 3
     4 io 3 of 3 =100
     5 resolve 3
     6 about 1 of 30
     6 create 4 by 1 as io socket.async_receive
     9 executor_end -
)");
  };
  bool asks = false;
  CHECK(verdict_of(session("connect", "send"), 4, asks) == Verdict::External);
  CHECK(asks);
  verdict_of(session("connect", "receive"), 4, asks);
  CHECK(!asks);
  verdict_of(session("receive", "send"), 4, asks);
  CHECK(!asks);
}

TEST_CASE("tasks that wait for an answer are similar if they wait for the same peer") {
  const auto sessions = [](const std::string& first, const std::string& second) {
    std::string text;
    for (const uint64_t i : {uint64_t{1}, uint64_t{2}}) {
      const auto id = [&](uint64_t n) { return std::to_string(10 * i + n); };
      text += "0 create " + id(1) + " under - as coroutine session\n0 resource " + id(1) + " of " +
              id(9) + " as socket\n0 about - of " + id(9) + "\n0 create " + id(2) + " under " +
              id(1) + " as io socket.async_connect\n0 resolve " + id(2) + "\n0 connection - of " +
              id(9) + " " + (i == 1 ? first : second) + "\n0 about - of " + id(9) + "\n0 create " +
              id(3) + " under " + id(1) + " as io socket.async_send\n0 io - of " + id(3) +
              " =5\n0 resolve " + id(3) + "\n0 about - of " + id(9) + "\n0 create " + id(4) +
              " under " + id(1) + " as io socket.async_receive\n0 suspend " + id(1) + " on " +
              id(4) + "\n";
    }
    const Example e = ours(text + "9 executor_end -");
    return diagnose_all(e.trace, e.model, find_waits(e.trace, e.model)).size();
  };
  CHECK(sessions("peer:1", "peer:1") == 1);
  CHECK(sessions("peer:1", "peer:2") == 2);
}

TEST_CASE("the parts of a composed operation that a coroutine waits for") {
  const Example e = ours(R"(
     0 create 1 as coroutine session
     0 resource 1 of 30 as socket
     0 connection 1 of 30 =7 peer:1
     1 resume 1
     1 suspend 1
     2 about 1 of 30
     2 create 2 by 1 as io socket.async_receive
     3 await 1 on 2
     5 resume 2
     5 io 2 of 2 =3
     6 about 2 of 30
     6 create 3 by 2 as io socket.async_receive
     7 resolve 2
     8 resume 3
     8 io 3 of 3 =4
     9 about 3 of 30
     9 create 4 by 3 as io socket.async_receive
    10 resolve 3
)");
  CHECK(diagnose(e.trace, e.model, find_waits(e.trace, e.model), e.model.find(1)).moved == 7);
}

}  // namespace skein
