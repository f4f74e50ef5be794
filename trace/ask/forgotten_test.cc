#include "trace/ask/forgotten.h"

#include <doctest/doctest.h>

#include "trace/ask/object_example.h"

using namespace skein;

namespace {

// Tasks 1 and 2 wait; 2 is woken at 20.
const std::string set_once = R"(
     0 create 1 as coroutine route
     1 resume 1
     2 suspend 1
     3 create 2 as coroutine route
     4 resume 2
     5 suspend 2
    20 resume 2
    21 resolve 2
)";

std::string passes(int id, const std::string& more = "") {
  const std::string task = std::to_string(id), time = std::to_string(20 + id) + " ";
  return time + "create " + task + " as coroutine route\n" + time + "resume " + task + "\n" + time +
         "ready " + task + "\n" + more + time + "resolve " + task + "\n";
}

std::string forgotten(const std::string& events, std::string_view type = "Event") {
  const ObjectExample run(events, type);
  std::string text;
  for (const auto& [task, by] : find_forgotten(run.subject()))
    text += run.e.id(task) + ": " + std::to_string(by.set) + " " + std::to_string(by.woken) + " " +
            std::to_string(by.at_once);
  return text;
}

const std::string end = "1000000020 executor_end -";

}  // namespace

TEST_CASE("an event that has forgotten a task") {
  CHECK(forgotten(set_once + passes(3) + passes(4) + passes(5) + end) == "1: 20 1 3");
  CHECK(forgotten(set_once + passes(3) + passes(4) + passes(5) + end, "Gate::wait()::Awaiter") ==
        "1: 20 1 3");
  CHECK(forgotten(set_once + passes(3) + passes(4) + end) == "");  // too few
  CHECK(forgotten(set_once + passes(3) + passes(4) + passes(5) + "900000000 executor_end -") == "");
}

TEST_CASE("objects that are no events, or not set once") {
  const std::string later = "900000000 create 9 as coroutine route\n900000000 resume 9\n";
  const std::string all = set_once + passes(3) + passes(4) + passes(5);
  CHECK(forgotten(all + later + "900000001 suspend 9\n" + end) == "");  // a queue
  CHECK(forgotten(all + later + "900000001 ready 9\n" + end) == "1: 20 1 4");
  CHECK(forgotten("0 create 8 as coroutine route\n0 resume 8\n0 ready 8\n0 resolve 8\n" + all +
                  end) == "");  // a lock: the first passes at once
  CHECK(forgotten(all + end, "Service::reached(int)::Awaiter") == "");  // several conditions
  CHECK(forgotten(all + end, "Cache::EntryAwaiter") == "");
  // The same task again and again.
  CHECK(forgotten(set_once + passes(3, "23 ready 3\n23 ready 3\n23 ready 3\n") + end) == "");
  // Woken long after the first: each waits for a condition of its own.
  CHECK(forgotten("0 create 7 as coroutine route\n0 resume 7\n0 suspend 7\n" + all +
                  "500000000 resume 7\n500000001 resolve 7\n" + end) == "");
}

TEST_CASE("tasks at another place, or called through other lines") {
  const std::string called = R"(
     0 create 6 as coroutine shutdown
     0 resume 6
     0 create 1 by 6 as coroutine route
     0 suspend 6 on 1
     1 resume 1
     2 suspend 1
     3 create 2 as coroutine route
     4 resume 2
     5 suspend 2
    20 resume 2
    21 resolve 2
)";
  CHECK(forgotten(called + passes(3) + passes(4) + passes(5) + end) == "");
}
