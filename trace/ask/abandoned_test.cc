#include "trace/ask/abandoned.h"

#include "trace/ask/why.h"
#include "trace/model/example.h"

namespace skein {

namespace {

// `ended` tasks that have slept and ended, and one that still waits for `operation`.
size_t others_ended(int ended, const std::string& operation) {
  std::string events;
  int time = 0;
  const auto at = [&] { return std::to_string(++time) + " "; };
  for (int i = 1; i <= ended + 1; i++) {
    const std::string id = std::to_string(10 * i);
    const std::string timer = std::to_string(10 * i + 1);
    events += at() + "create " + id + " as coroutine store\n" + at() + "resume " + id + "\n" +
              at() + "create " + timer + " by " + id + " as io " + operation + "\n" + at() +
              "suspend " + id + " on " + timer + "\n";
    if (i <= ended)
      events += at() + "resolve " + timer + "\n" + at() + "resume " + id + " by " + timer + "\n" +
                at() + "resolve " + id + "\n";
  }
  const Example e = ours(events);
  const Waits waits = find_waits(e.trace, e.model);
  auto found = diagnose_all(e.trace, e.model, waits);
  for (Diagnosis& d : found) d.suspicion = Suspicion::Usual;
  find_abandoned({e.trace, e.model, waits}, found);
  return found.empty() ? 0 : found.front().others_ended;
}

}  // namespace

TEST_CASE("abandoned: a task all of whose like have ended by themselves") {
  CHECK(others_ended(12, "timer.async_wait") == 12);
  CHECK(others_ended(9, "timer.async_wait") == 0);
  CHECK(others_ended(12, "socket.async_receive") == 0);
}

}  // namespace skein
