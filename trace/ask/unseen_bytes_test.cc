#include "trace/ask/unseen_bytes.h"

#include "trace/ask/traffic.h"
#include "trace/model/example.h"

namespace skein {

namespace {

// What is certain of the socket 30 if the kernel was asked at 1 and at 5, and had counted this
// at 5.
CertainlyUnseen unseen_at_5(const std::string& text, uint64_t sent, uint64_t received,
                            bool is_lossy = false) {
  Example e = ours("0 create 1 as coroutine session\n 0 resource 1 of 30 as socket\n" + text);
  e.trace.socket_bytes = {
      {.time = 1, .socket = 30, .sent = 4},
      {.time = 5, .socket = 30, .sent = sent, .received = received, .unseen_sent = 99},
  };
  if (is_lossy) e.trace.losses.push_back({.what = "event truncated"});
  const auto found = find_unseen(e.trace, e.model, find_moved(e.trace, e.model));
  REQUIRE(found[0]);
  return *found[0];
}

// Begins at 2; its handler runs at `end`.
std::string operation(const std::string& name, const std::string& end) {
  return "2 about 1 of 30\n 2 create 2 by 1 as io socket.async_" + name + "\n" + end;
}

}  // namespace

// A session answers and receives again. The kernel has sent the answer at once, but the handler of
// the send is in a queue when the receive begins, before which the recorder asks the kernel.
TEST_CASE("an operation has moved its bytes before its handler runs") {
  const std::string sent = operation("send", "8 resume 2\n 8 io 2 of 2 =13\n 9 resolve 2");
  CHECK(unseen_at_5(sent, 17, 0).bytes.sent == 0);
  CHECK(unseen_at_5(sent, 18, 0).bytes.sent == 1);
  CHECK(unseen_at_5(sent, 18, 0).bytes.sent_before == 4);
  CHECK(unseen_at_5(sent, 4, 7).bytes.received == 7);
  CHECK(unseen_at_5(sent, 4, 7).may_have_received);
  CHECK(!unseen_at_5(sent, 18, 0).may_have_received);
  const std::string later =
      "6 about 1 of 30\n 6 create 2 by 1 as io socket.async_send\n"
      "8 io 2 of 2 =13\n 9 resolve 2";
  CHECK(unseen_at_5(later, 17, 0).bytes.sent == 13);
}

TEST_CASE("an operation that does not complete may have moved any bytes") {
  CHECK(unseen_at_5(operation("send", "9 executor_end -"), 17, 0).bytes.sent == 0);
  CHECK(unseen_at_5(operation("send", "8 cancel 2"), 17, 0).bytes.sent == 0);
  CHECK(unseen_at_5(operation("send", "8 fail 2"), 17, 0).bytes.sent == 13);
  const CertainlyUnseen receives = unseen_at_5(operation("receive", "9 executor_end -"), 17, 3);
  CHECK(receives.bytes.sent == 13);
  CHECK(receives.bytes.received == 0);
  CHECK(receives.may_have_received);
}

TEST_CASE("certain bytes remain certain") {
  Example e = ours("0 create 1 as coroutine session\n 0 resource 1 of 30 as socket\n" +
                   operation("receive", "2 resume 1\n 9 executor_end -"));
  e.trace.socket_bytes = {{.time = 0, .socket = 30},
                          {.time = 1, .socket = 30, .received = 5},
                          {.time = 6, .socket = 30, .received = 8}};
  CHECK(find_unseen(e.trace, e.model, find_moved(e.trace, e.model))[0]->bytes.received == 5);
}

TEST_CASE("nothing is certain if events are lost") {
  const CertainlyUnseen unseen = unseen_at_5("9 executor_end -", 17, 0, true);
  CHECK(unseen.bytes.sent == 0);
  CHECK(unseen.bytes.sent_before == 0);
  CHECK(unseen.may_have_received);
  CHECK(unseen_at_5("9 executor_end -", 17, 0).bytes.sent == 13);
}

TEST_CASE("a reading after the end of the model is of operations that are not in it") {
  CHECK(unseen_at_5("4 resume 1", 17, 0).bytes.sent == 0);
}

TEST_CASE("in a ring, only a direction without operations is certain") {
  const auto certain = [](const std::string& text, LiveTaskEntry::Traffic traffic) {
    Example e = ours("0 create 1 as coroutine session\n 0 resource 1 of 30 as socket\n" + text);
    traffic.unseen = UnseenBytes{.sent_before = 4, .sent = 13, .received = 2};
    return certain_of(traffic, e.trace, e.model, 0).bytes;
  };
  CHECK(certain("", {}).sent == 13);
  CHECK(certain("", {}).received == 2);
  CHECK(certain("", {.sent = 1}).sent == 0);
  CHECK(certain("", {.sent = 1}).sent_before == 4);
  CHECK(certain("", {.sent = 1}).received == 2);
  CHECK(certain(operation("receive", ""), {}).received == 0);
  CHECK(certain(operation("receive", ""), {}).sent == 13);
}

}  // namespace skein
