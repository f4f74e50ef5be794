#include "trace/ask/mutual_receives.h"

#include "trace/ask/example.h"
#include "trace/ask/why.h"

namespace skein {

namespace {

// A send or receive that is over; the task waits for it.
std::string moves(const std::string& time, const std::string& id, const std::string& by,
                  const std::string& name, const std::string& socket, const std::string& bytes) {
  const std::string t = time + " ";
  return t + "resume " + by + "\n" + t + "about " + by + " of " + socket + "\n" + t + "create " +
         id + " by " + by + " as io socket.async_" + name + "\n" + t + "suspend " + by + " on " +
         id + "\n" + t + "resume " + id + "\n" + t + "io " + id + " of " + id + " =" + bytes +
         "\n" + t + "resolve " + id + "\n";
}

std::string waits(const std::string& time, const std::string& id, const std::string& by,
                  const std::string& name, const std::string& socket) {
  const std::string t = time + " ";
  return t + "resume " + by + "\n" + t + "about " + by + " of " + socket + "\n" + t + "create " +
         id + " by " + by + " as io socket.async_" + name + "\n" + t + "suspend " + by + " on " +
         id + "\n";
}

const std::string both = R"(
     0 create 1 as coroutine main
     0 resource 1 of 30 as socket
     0 resource 1 of 31 as socket
     0 resume 1
     0 create 2 by 1 as coroutine client
     0 create 3 by 1 as coroutine server
)";
const std::string request =
    moves("1", "10", "2", "send", "30", "9") + moves("2", "11", "3", "receive", "31", "9");
const std::string reply =
    moves("3", "12", "3", "send", "31", "5") + moves("4", "13", "2", "receive", "30", "5");
const std::string both_wait =
    waits("5", "20", "2", "receive", "30") + waits("6", "21", "3", "receive", "31");

Diagnosis of(const std::string& events, uint64_t until = 3'000'000'000) {
  Example e = ours(events, {.until = until});
  for (Model::Object& object : e.model.objects)
    object.connection = e.trace.strings.intern(object.id == 30 ? "10.0.0.1:1 > 10.0.0.2:2 (tcp)"
                                                               : "10.0.0.2:2 > 10.0.0.1:1 (tcp)");
  return diagnose(e.trace, e.model, find_waits(e.trace, e.model), e.model.find(2));
}

}  // namespace

TEST_CASE("both ends wait to receive, and only their tasks have sent") {
  const Diagnosis client = of(both + request + reply + both_wait);
  REQUIRE(client.mutual_receives);
  CHECK(client.mutual_receives->since == 4);
  CHECK(client.mutual_receives->only_senders_wait);
  CHECK(!client.is_error());  // the server may wait for the next request, as an idle one does
}

TEST_CASE("a connection that was in use a second ago, or has paused for longer") {
  CHECK(!of(both + request + reply + both_wait, 900'000'000).mutual_receives);
  const std::string later = moves("2000000000", "12", "3", "send", "31", "5") +
                            moves("2000000001", "13", "2", "receive", "30", "5") +
                            waits("2000000002", "20", "2", "receive", "30") +
                            waits("2000000003", "21", "3", "receive", "31");
  CHECK(!of(both + request + later, 3'500'000'000).mutual_receives);
  CHECK(of(both + request + later, 4'500'000'000).mutual_receives);
}

TEST_CASE("another task has sent, or bytes were not received") {
  const std::string feed = "0 create 4 by 1 as coroutine feed\n";
  const std::string fed = moves("4", "14", "4", "send", "31", "5") + "4 suspend 4\n" +
                          moves("4", "15", "2", "receive", "30", "5");
  const Diagnosis client = of(both + feed + request + reply + fed + both_wait);
  REQUIRE(client.mutual_receives);
  CHECK(!client.mutual_receives->only_senders_wait);
  const std::string part =
      moves("3", "12", "3", "send", "31", "5") + moves("4", "13", "2", "receive", "30", "4");
  CHECK(!of(both + request + part + both_wait).mutual_receives->only_senders_wait);
}

TEST_CASE("a send that is pending ends it") {
  const std::string sends = waits("7", "22", "1", "send", "31");
  CHECK(!of(both + request + reply + both_wait + sends).mutual_receives);
}

}  // namespace skein
