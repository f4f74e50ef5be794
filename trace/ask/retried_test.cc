#include "trace/ask/retried.h"

#include <doctest/doctest.h>

#include "trace/ask/example.h"

using namespace skein;

namespace {

// Task 1 waits `count` times for timer 30, which is cancelled, and then once more. Another call
// of its function ends at `other_end`.
std::optional<Retried> of(int count, const std::string& other_end) {
  std::string events =
      "0 create 1 as coroutine acquire\n0 create 2 as coroutine acquire\n"
      "0 resource - of 30 as alarm deadline_timer\n1 resume 1\n";
  for (int i = 0; i <= count; i++) {
    const std::string time = std::to_string(10 * (i + 1)), id = std::to_string(100 + i);
    events += time + " about 1 of 30\n" + time + " expires 1 =-1\n" + time + " create " + id +
              " by 1 as timer\n" + time + " suspend 1 on " + id + " at 5\n";
    if (i == count) break;
    events += time + " resolve " + id + "\n" + time + " resume 1 by " + id + "\n";
  }
  AnalyzedExample run(events + other_end + " resolve 2 by 2\n");
  return find_retried(run.subject(), run.e.model.find(1));
}

}  // namespace

TEST_CASE("a call that was woken and waited again") {
  const auto found = of(10, "200");
  REQUIRE(found);
  CHECK(found->count == 10);
  CHECK(found->others == 1);
  CHECK(!of(1, "200"));
}
