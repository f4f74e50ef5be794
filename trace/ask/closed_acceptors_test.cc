#include "trace/ask/closed_acceptors.h"

#include "trace/ask/example.h"

namespace skein {

namespace {

// `closer` closes the acceptor 30, where 2 waits, at 1 s; the timer 31 is set again, and 5 waits
// for it from then until `end`.
AnalyzedExample closing(const std::string& cancel, const std::string& end,
                        const std::string& more = "") {
  return AnalyzedExample(R"(
     0 create 1 as coroutine closer
     0 create 4 as coroutine janitor
     0 resource 1 of 30 as socket
     0 resource 1 of 31 as alarm deadline_timer
     0 about - of 30
     0 create 2 as io socket.async_accept
     0 about - of 31
     0 expires - =300000000
     0 create 3 under 4 as timer deadline_timer.async_wait
     1000000000 resume 1
     1000000000 resolve 30 by 1
)" + cancel + R"(
     1000000010 resolve 1 by 1
     1000000020 fail 2
     1000000020 fail 3
     1000000030 about - of 31
     1000000030 expires - =300000000
     1000000030 create 5 under 4 as timer deadline_timer.async_wait
     1000000030 suspend 4 on 5
)" + more + end + " executor_end -\n");
}

const std::string cancels = "1000000005 cancel_uses 1 of 31";

std::optional<ClosedAcceptor> find(const AnalyzedExample& e) {
  const TaskIndex timer = e.e.model.find(5);
  return ClosedAcceptors(e.subject(), [&](TaskIndex task) { return task == timer; }).find(timer);
}

}  // namespace

TEST_CASE("a timer that is set again keeps a program running that has closed its acceptor") {
  const AnalyzedExample e = closing(cancels, "2000000000");
  REQUIRE(find(e));
  CHECK(e.e.model.objects[find(e)->acceptor].id == 30);
  CHECK(find(e)->cancel == 0);
}

TEST_CASE("a program may take a second to end") {
  CHECK(find(closing(cancels, "1999999999")));
  CHECK(!find(closing(cancels, "1099999999")));
}

TEST_CASE("a timer that was not cancelled may be meant to go on") {
  const AnalyzedExample e = closing("", "9000000000");
  REQUIRE(find(e));
  CHECK(find(e)->cancel == Model::Object::none);
  for (const char* other : {"1000000005 cancel_uses 4 of 31", "900000000 cancel_uses 1 of 31"})
    CHECK(find(closing(other, "9000000000"))->cancel == Model::Object::none);
}

TEST_CASE("a program that does more than repeat a timer is not about to end") {
  CHECK(!find(closing(cancels, "9000000000", "1000000040 create 6 as io socket.async_receive\n")));
  CHECK(!find(closing(cancels, "9000000000", "1000000040 create 6 as coroutine session\n")));
}

}  // namespace skein
