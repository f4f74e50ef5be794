#include "trace/ask/unreturned.h"

#include <doctest/doctest.h>

#include "trace/ask/example.h"

using namespace skein;

namespace {

// A lookup that acquires a permit, and returns it by a cancel of the timer 90 if `returns`.
std::string lookup(int id, bool returns, bool acquires = true) {
  const std::string t = std::to_string(id) + " ", task = std::to_string(id),
                    acquire = std::to_string(100 + id);
  std::string events =
      t + "create " + task + " as coroutine lookup\n" + t + "resume " + task + "\n";
  if (acquires)
    events += t + "create " + acquire + " by " + task + " as coroutine acquire\n" + t + "suspend " +
              task + " on " + acquire + "\n" + t + "resume " + acquire + "\n" + t + "resolve " +
              acquire + " by " + acquire + "\n" + t + "resume " + task + " by " + acquire + "\n";
  if (returns) events += t + "cancel_uses " + task + " of 90\n";
  return events + t + "resolve " + task + " by " + task + "\n";
}

std::string lookups(int count) {
  std::string events = "0 resource - of 90 as alarm deadline_timer\n";
  for (int id = 1; id <= count; id++) events += lookup(id, true);
  return events;
}

// Lookup 50 waits.
const std::string waits = R"(
    50 create 50 as coroutine lookup
    50 resume 50
    50 create 150 by 50 as coroutine acquire
    50 suspend 50 on 150
    50 resume 150
    50 about 150 of 90
    50 expires 150 =-1
    50 create 250 by 150 as timer
    50 suspend 150 on 250
)";

std::string unreturned(const std::string& events) {
  const AnalyzedExample run(events + waits);
  const auto task = [&](TaskId id) { return run.e.model.find(id); };
  const auto result = find_unreturned(run.subject(), task(250), {task(50), task(150)});
  if (!result) return "";
  std::string text = std::to_string(result->count) + " without";
  for (const TaskIndex one : result->without) text += " " + run.e.id(one);
  return text;
}

}  // namespace

TEST_CASE("calls that ended without the cancel that others made") {
  CHECK(unreturned(lookups(6) + lookup(7, false) + lookup(8, false)) == "6 without 7 8");
  CHECK(unreturned(lookups(6)) == "");
  CHECK(unreturned(lookups(4) + lookup(7, false)) == "");  // too few
  CHECK(unreturned(lookups(6) + lookup(7, false) + lookup(8, false) + lookup(9, false)) == "");
  CHECK(unreturned(lookups(6) + lookup(7, false, false)) == "");  // it has not acquired
  CHECK(unreturned(lookups(6) + lookup(7, false) + "8 cancel_uses - of 90\n") == "");
}
