#include "trace/ask/broken_chains.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "trace/model/example.h"

using namespace skein;

namespace {

std::string broken(const std::string& rest) {
  const Example e = ours(R"(
     0 resource - of 90 as socket socket
     0 about - of 90
     1 create 1 as io receive
     2 resume 1
     3 about - of 90
     4 create 2 by 1 as io send
     5 resolve 1 by 1
     6 resume 2
     7 about - of 90
     8 create 3 by 2 as io receive
     9 resolve 2 by 2
    10 resume 3
)" + rest);
  std::string out;
  for (const BrokenChain& chain : broken_chains({e.trace, e.model, find_waits(e.trace, e.model)}))
    out += e.id(chain.last) + " x" + std::to_string(chain.count) + " of " +
           std::to_string(chain.continued) + "\n";
  return out;
}

}  // namespace

TEST_CASE("a handler that starts nothing, on an open socket") {
  CHECK(broken("20 resolve 3 by 3\n") == "3 x1 of 1\n");
  CHECK(broken("") == "");  // it has not returned
}

TEST_CASE("a chain that goes on, or ends") {
  CHECK(broken("11 create 4 by 3 as handler post\n 20 resolve 3 by 3\n") == "");
  CHECK(broken("20 fail 3 by 3 eof\n") == "");
  CHECK(broken("20 resolve 3 by 3\n 21 resolve 90 by -\n") == "");  // closed
  CHECK(broken("11 resolve 90 by 3\n 20 resolve 3 by 3\n") == "");
  CHECK(broken("20 resolve 3 by 3\n 21 about - of 90\n 22 create 5 as io send\n") == "");
  // A coroutine waits for it.
  CHECK(broken("11 create 6 as coroutine c\n 11 resume 6\n 12 suspend 6 on 3\n 20 resolve 3 by 3\n "
             "21 resume 6 by 3\n") == "");
}

TEST_CASE("a receive that was cancelled and not started again, while sends go on") {
  const std::string cancelled = R"(
    11 about - of 90
    11 create 4 by 3 as io socket.async_receive
    12 resolve 3 by 3
    13 resume 4
    14 about - of 90
    14 create 5 by 4 as io socket.async_receive
    15 resolve 4 by 4
    20 create 6 as timer timeout
    21 resume 6
    22 cancel_uses 6 of 90
    23 resolve 6 by 6
    24 resume 5
    25 fail 5 by 5 cancelled
  )";
  const std::string send = R"(
    31 about - of 90
    32 create 7 as io socket.async_send
    33 resume 7
    34 resolve 7 by 7
  )";
  CHECK(broken(cancelled) == "");
  CHECK(broken(cancelled + send) == "5 x1 of 1\n");
  CHECK(broken(cancelled + "29 about - of 90\n 29 create 9 as io socket.async_receive\n" + send) ==
        "");
}

TEST_CASE("a place whose handlers never start anything") {
  const Example e = ours(R"(
     0 resource - of 90 as socket socket
     0 about - of 90
     1 create 1 as io send
     2 resume 1
     3 resolve 1 by 1
  )");
  CHECK(broken_chains({e.trace, e.model, find_waits(e.trace, e.model)}).empty());
}

TEST_CASE("a timer that its handler no longer re-arms") {
  const auto chain_of = [](int waits, const std::string& last) {
    std::string events = "0 resource - of 90 as alarm deadline_timer\n";
    int time = 1;
    const auto add = [&](const std::string& event) {
      events += std::to_string(time++) + " " + event + "\n";
    };
    for (int id = 1; id <= waits; id++) {
      const std::string before = id == 1 ? "" : std::to_string(id - 1);
      if (id > 1) add("resume " + before);
      add("about - of 90");
      add("create " + std::to_string(id) + (id > 1 ? " by " + before : "") + " as timer wait");
      if (id > 1) add("resolve " + before + " by " + before);
    }
    Example e = ours(events + "50 resume " + std::to_string(waits) + "\n" + last);
    e.trace.info.ended = 200'000'000;
    e.model = build_model(e.trace, {.simplify = false});
    std::string out;
    for (const BrokenChain& chain : broken_chains({e.trace, e.model, find_waits(e.trace, e.model)}))
      out += e.id(chain.last) + " after " + std::to_string(chain.continued);
    return out;
  };
  CHECK(chain_of(4, "51 resolve 4 by 4") == "4 after 3");
  CHECK(chain_of(4, "51 fail 4 by 4 cancelled").empty());
  CHECK(chain_of(4, "51 create 9 by 4 as handler post\n 52 resolve 4 by 4").empty());
  CHECK(chain_of(4, "51 resolve 4 by 4\n 199000000 label 4 late") == "4 after 3");
  CHECK(chain_of(3, "51 resolve 3 by 3").empty());  // not often enough
}

TEST_CASE("connections that wait in the queue of an acceptor") {
  Example e = ours(R"(
     0 resource - of 90 as socket socket
     0 about - of 90
     1 create 1 as io socket.async_accept
     2 resume 1
     2 resource 1 of 92 as socket socket
     3 about - of 90
     4 create 2 by 1 as io socket.async_accept
     5 resolve 1 by 1
     6 resume 2
     7 resolve 2 by 2
     8 resource - of 93 as socket socket
     8 resource - of 94 as socket socket
     8 resource - of 95 as socket socket
     8 resource - of 96 as socket socket
     9 resolve 92 by -
     9 resolve 96 by -
  )");
  const auto connect = [&](TaskId id, std::string_view connection) {
    for (Model::Object& object : e.model.objects)
      if (object.id == id) object.connection = e.trace.strings.intern(connection);
  };
  connect(90, "1.1.1.1:80 (tcp)");
  connect(92, "1.1.1.1:80 > 2.2.2.2:5 (tcp)");  // accepted, and closed later
  connect(93, "2.2.2.2:6 > 1.1.1.1:80 (tcp)");  // accepted: 94
  connect(94, "1.1.1.1:80 > 2.2.2.2:6 (tcp)");
  connect(95, "2.2.2.2:7 > 1.1.1.1:80 (tcp)");  // waits
  connect(96, "2.2.2.2:8 > 1.1.1.1:80 (tcp)");  // has waited
  const auto found = broken_chains({e.trace, e.model, find_waits(e.trace, e.model)});
  const auto acceptor = std::find_if(found.begin(), found.end(), [&](const BrokenChain& chain) {
    return e.id(chain.last) == "2";
  });
  REQUIRE(acceptor != found.end());
  CHECK(acceptor->unaccepted == 1);
  CHECK(e.model.objects[acceptor->first_unaccepted].id == 95);
  CHECK(acceptor->closed_since == 1);
}

TEST_CASE("a handler that serves the connection, and does not accept again") {
  const auto found = [](std::string_view last) {
    Example e = ours(R"(
     0 resource - of 90 as socket socket
     0 about - of 90
     1 create 1 as io socket.async_accept
     2 resume 1
     2 create 11 by 1 as io socket.async_receive
     3 about - of 90
     3 create 2 by 1 as io socket.async_accept
     4 resolve 1 by 1
     5 resume 2
     5 create 12 by 2 as io socket.async_receive
)" + std::string(last) +
                     R"(
     7 resolve 2 by 2
  )");
    std::string text;
    for (const BrokenChain& chain : broken_chains({e.trace, e.model, find_waits(e.trace, e.model)}))
      text += e.id(chain.last) + ", " + std::to_string(chain.continued) + " went on";
    return text;
  };
  CHECK(found("") == "2, 1 went on");
  CHECK(found("6 about - of 90\n6 create 3 by 2 as io socket.async_accept") == "");
}
