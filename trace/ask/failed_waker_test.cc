#include "trace/ask/failed_waker.h"

#include "trace/ask/example.h"

namespace skein {

namespace {

// Calls of get(): the first of each `count` pairs loads (await 2), and then cancels the timer for
// which the second waits (await 1). Then one fails in its load, and 900 waits.
std::string found(int count, bool cancels = true, uint32_t place = 2) {
  std::string events;
  int time = 1;
  const auto add = [&](const std::string& event) {
    events += std::to_string(time++) + " " + event + "\n";
  };
  const auto load = [&](const std::string& id) {
    add("create " + id + " as coroutine get");
    add("resume " + id);
    add("suspend " + id);
  };
  const auto wait = [&](const std::string& id) {
    add("create " + id + "1 as coroutine get");
    add("resume " + id + "1");
    add("about " + id + "1 of " + id + "9");
    add("create " + id + "2 by " + id + "1 as timer");
    add("suspend " + id + "1 on " + id + "2");
  };
  for (int i = 1; i <= count; i++) {
    const std::string id = std::to_string(i);
    add("resource - of " + id + "9 as alarm");
    load(id);
    wait(id);
    add("resume " + id);
    if (cancels) add("cancel_uses " + id + " of " + id + "9");
    add("resolve " + id);
    add("fail " + id + "2 cancelled");
    add("resume " + id + "1");
    add("resolve " + id + "1");
  }
  add("resource - of 909 as alarm");
  load("8");
  add("resume 8");
  add("fail 8 refused");
  wait("90");
  AnalyzedExample e(events);
  for (Waits::Wait& one : e.waits.waits) one.location = one.on != no_index ? 1 : 2;
  e.e.trace.locations.resize(4);
  for (Model::Task& task : e.e.model.tasks) task.location = 3;
  for (Waits::Wait& one : e.waits.waits)
    if (e.e.model.tasks[one.task].id == 8) one.location = place;
  const auto failed = find_failed_waker(e.subject(), e.e.model.find(902));
  if (!failed) return "";
  return e.e.id(failed->failed) + ", " + std::to_string(failed->count) + " like " +
         e.e.id(failed->like);
}

}  // namespace

TEST_CASE("a call that failed where the others go on to cancel the timer") {
  CHECK(found(3) == "8, 3 like 3");
  CHECK(found(2) == "");           // too few
  CHECK(found(3, false) == "");    // nothing is known to have ended the waits
  CHECK(found(3, true, 1) == "");  // it failed elsewhere
}

}  // namespace skein
