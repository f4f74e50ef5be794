#include <doctest/doctest.h>

#include "trace/ask/doctor/test_findings.h"

using namespace skein;

namespace {

// Task 1 awaits `count` coroutines one after the other, 5 ms each. `within` are further events of
// each, where # is its id.
std::string requests(int count, const std::string& within, const std::string& end) {
  std::string events =
      "0 resource - of 900 as mutex all\n0 create 1 as coroutine build\n0 resume 1\n";
  uint64_t time = 1;
  const auto add = [&](std::string event, const std::string& id) {
    for (size_t at; (at = event.find('#')) != std::string::npos;) event.replace(at, 1, id);
    events += std::to_string(time++) + " " + event + "\n";
  };
  for (int i = 0; i < count; i++) {
    const std::string id = std::to_string(10 + i);
    add("create # by 1 as coroutine look_up", id);
    add("suspend 1 on #", id);
    add("resume # by 1", id);
    for (size_t at = 0, end_at = 0; end_at != std::string::npos; at = end_at + 2) {
      end_at = within.find("; ", at);
      add(within.substr(at, end_at - at), id);
    }
    time += 5'000'000;
    add("resume #", id);
    add("resolve # by #", id);
    add("resume 1 by #", id);
  }
  return findings_text(ours(events + std::to_string(time) + " " + end),
                       {.suspended = 1'000'000'000, .running = 1'000'000'000, .self_wakes = 100});
}

}  // namespace

TEST_CASE("sequential-awaits") {
  CHECK(requests(12, "suspend #", "resolve 1 by 1") == "sequential-awaits 1 21\n");
  CHECK(requests(12, "suspend #", "suspend 1") == "");      // it may go on like that
  CHECK(requests(9, "suspend #", "resolve 1 by 1") == "");  // few
  CHECK(requests(12, "label # computes", "resolve 1 by 1") == "");
  CHECK(requests(12, "suspend # on 900", "resolve 1 by 1") == "");  // they share a mutex
}

TEST_CASE("a task that only waits for a timer is a pause") {
  CHECK(requests(12, "create 9# by # as timer; suspend # on 9#", "resolve 1 by 1") == "");
  CHECK(requests(12, "create 9# by # as io; suspend # on 9#", "resolve 1 by 1") ==
        "sequential-awaits 1 21\n");
}
