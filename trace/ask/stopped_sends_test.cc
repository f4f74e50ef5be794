#include "trace/ask/stopped_sends.h"

#include <doctest/doctest.h>

#include "trace/ask/example.h"

using namespace skein;

namespace {

// Ticks of a timer, each of which starts the next, and a send on socket 30 if `sends` says so
// ('x'), or on socket 32 ('o'). The peer of 30 is 31, on which a receive is pending.
// `of_socket`: the ticks are operations of socket 30.
std::string stopped_sends(std::string_view sends, bool is_received = true, bool may_end = true,
                  bool of_socket = false) {
  std::string events =
      "0 resource - of 30 as socket\n0 resource - of 31 as socket\n0 resource - of 32 as socket\n"
      "0 create 1 as io tick\n";
  if (is_received) events += "0 about - of 31\n0 create 500 as io socket.async_receive\n";
  uint64_t tick = 1;
  for (const char one : sends) {
    const std::string t = std::to_string(10 * tick) + " ", id = std::to_string(tick),
                      next = std::to_string(tick + 1), send = std::to_string(100 + tick);
    events += t + "resume " + id + "\n";
    if (one != '.')
      events += t + "about - of 3" + (one == 'x' ? "0\n" : "2\n") + t + "create " + send + " by " +
                id + " as io socket.async_send\n";
    if (of_socket) events += t + "about - of 30\n";
    events += t + "create " + next + " by " + id + " as io tick\n" + t + "resolve " + id + "\n";
    if (one != '.') events += t + "resume " + send + "\n" + t + "resolve " + send + "\n";
    tick++;
  }
  AnalyzedExample run(events + (may_end ? "2000000000 executor_end -" : ""));
  for (Model::Object& object : run.e.model.objects)
    object.connection = run.e.trace.strings.intern(object.id == 30   ? "1 > 2 (tcp)"
                                                   : object.id == 31 ? "2 > 1 (tcp)"
                                                                     : "3 > 4 (tcp)");
  for (Model::Task& task : run.e.model.tasks) {
    task.location = 1;
    task.name = run.e.trace.strings.intern(task.id < 100    ? "tick"
                                           : task.id == 500 ? "socket.async_receive"
                                                            : "socket.async_send");
  }
  std::string text;
  for (const StoppedSends& chain : find_stopped_sends(run.subject()))
    text += run.e.id(chain.last) + " by " + run.e.id(chain.starter) + ", " +
            std::to_string(chain.with) + ", then " + std::to_string(chain.without) +
            (chain.every == 1 ? "" : ", every " + std::to_string(chain.every));
  return text;
}

}  // namespace

TEST_CASE("sends that a repeated handler started each time, and then no longer") {
  CHECK(stopped_sends("..xxxx...") == "106 by 6, 4, then 3");
  CHECK(stopped_sends("xxxx..") == "");                 // it may pause
  CHECK(stopped_sends("xx....") == "");                 // too few
  CHECK(stopped_sends("xx.xx....") == "");              // not each time
  CHECK(stopped_sends("xxxx....", false) == "");        // the peer does not wait
  CHECK(stopped_sends("xxxx....", true, false) == "");  // not for long
}

TEST_CASE("sends that each second run of a handler started, and then none") {
  const auto times = [](int count, const std::string& part) {
    std::string all;
    for (int i = 0; i < count; i++) all += part;
    return all;
  };
  CHECK(stopped_sends(times(10, "x.") + times(10, ".o")) == "119 by 19, 10, then 21, every 2");
  CHECK(stopped_sends(times(10, "x.") + times(20, ".")) == "");                     // none goes on
  CHECK(stopped_sends(times(9, "x.") + times(20, ".o")) == "");                     // too few
  CHECK(stopped_sends(times(10, "x.") + times(9, ".o")) == "");                     // not for long enough
  CHECK(stopped_sends("x....." + times(10, "x.") + times(20, ".o")) == "");         // not regular
  CHECK(stopped_sends(times(10, "x.") + times(10, ".o"), true, true, true) == "");  // of another session
}
