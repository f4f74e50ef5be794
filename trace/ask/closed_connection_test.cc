#include "trace/ask/closed_connection.h"

#include "trace/ask/example.h"
#include "trace/ask/why.h"

namespace skein {

namespace {

// The operations use the socket 30, one after the other; the last, 9, is pending for a second.
struct After {
  After(const std::string& earlier, const std::string& last, const std::string& reason)
      : e(R"(
     0 create 1 as coroutine session
     0 resource 1 of 30 as socket
     0 resume 1
)" + earlier +
          R"(
     9 about 1 of 30
     9 create 9 by 1 as io socket.async_)" +
          last + "\n10 suspend 1 on 9\n1000000000 executor_end -\n") {
    for (Model::Task& task : e.e.model.tasks)
      if (task.failed()) task.reason = e.e.trace.strings.intern(reason);
    e.e.model.objects[0].connection = e.e.trace.strings.intern("1 > 2 (tcp)");
  }
  After& over(std::string_view connection) {
    e.e.model.objects[0].connection = e.e.trace.strings.intern(connection);
    return *this;
  }
  std::string found() const { return e.e.id(find_closed(e.e.trace, e.e.model, e.e.model.find(9))); }
  bool is_error() const { return diagnose(e.e.trace, e.e.model, e.waits, 0).is_error(); }
  AnalyzedExample e;
};

std::string failed(const std::string& id, const std::string& operation) {
  return "1 about 1 of 30\n1 create " + id + " by 1 as io socket.async_" + operation + "\n2 fail " +
         id + "\n";
}

}  // namespace

TEST_CASE("a send after one that failed, because the connection is closed") {
  const After broken(failed("3", "send"), "send", "Broken pipe");
  CHECK(broken.found() == "3");
  CHECK(broken.is_error());
  CHECK(After(failed("3", "send"), "send", "Connection reset by peer").found() == "3");
  CHECK(After(failed("3", "send"), "send", "Operation canceled").found() == "-");
  CHECK(After(failed("3", "send"), "send", "Connection reset by peer").over("/a (unix)").found() ==
        "-");
  // It waits for what the peer has sent before it closed.
  CHECK(After(failed("3", "send"), "receive", "Broken pipe").found() == "-");
}

TEST_CASE("a receive after the end of the file") {
  CHECK(After(failed("3", "receive"), "receive", "End of file").found() == "3");
  // The peer has shut down its half.
  CHECK(After(failed("3", "receive"), "send", "End of file").found() == "-");
}

TEST_CASE("a socket that was connected again is open") {
  const std::string again = "3 about 1 of 30\n3 create 4 by 1 as io socket.async_connect\n";
  const After connected(failed("3", "send") + again, "send", "Broken pipe");
  CHECK(connected.found() == "-");
  CHECK(!connected.is_error());
}

}  // namespace skein
