#include "trace/ask/branches.h"

#include <doctest/doctest.h>

#include "trace/ask/example.h"

using namespace skein;

namespace {

// (1 || 2) && 4, made by 9; 3 is the inner operator, 5 the outer one.
const std::string nested = R"(
     0 create 9 as coroutine client
     0 resume 9
     1 create 8 by 9 as coroutine unrelated
     2 create 1 by 9 as coroutine request
     2 create 2 by 9 as coroutine timeout
     2 create 3 by 9 as coroutine asio::experimental::awaitable_operators::operator||
     2 create 4 by 9 as coroutine log
     2 create 5 by 9 as coroutine asio::experimental::awaitable_operators::operator&&
     3 suspend 9 on 5
     3 resume 5 by 9
     4 suspend 5
     5 resume 3
     6 suspend 3
     7 resume 1
     8 suspend 1
     9 resume 2
    10 suspend 2
    11 resume 4
    12 suspend 4
)";

std::string text(const std::string& events) {
  const AnalyzedExample run(events);
  const auto id = [&](TaskIndex task) { return task == no_index ? "-" : run.e.id(task); };
  std::string out;
  for (const Branches& branches : run.waits.branches)
    out += id(branches.operation) + ": " + id(branches.operands[0]) + " " +
           id(branches.operands[1]) + ", waits for " + id(run.waits.open(branches.operation)->on) +
           "\n";
  return out;
}

}  // namespace

TEST_CASE("operators wait for the coroutines that were made just before them") {
  CHECK(text(nested) == "3: 1 2, waits for 1\n5: 3 4, waits for 3\n");
  CHECK(text(nested + "13 resume 1\n 14 resolve 1 by 1\n") ==
        "3: 1 2, waits for 2\n5: 3 4, waits for 3\n");
}

TEST_CASE("a coroutine that ran before the operator is none of its operands") {
  CHECK(text(R"(
     0 create 9 as coroutine client
     0 resume 9
     1 create 1 by 9 as coroutine eager
     1 resume 1
     1 suspend 1
     2 create 2 by 9 as coroutine timeout
     2 create 3 by 9 as coroutine asio::experimental::awaitable_operators::operator||
     3 suspend 9 on 3
     3 resume 3 by 9
     4 suspend 3
     5 resume 2
  )")
            .empty());
}
