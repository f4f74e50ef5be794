#include "trace/ask/failures.h"

#include <doctest/doctest.h>

#include "trace/model/example.h"

using namespace skein;

TEST_CASE("failures that no task has read, by place and reason") {
  Example e = ours(R"(
     0 create 1 as coroutine startup
     0 resume 1
     1 create 2 by 1 as coroutine load_shard
     2 create 3 by 1 as coroutine load_shard
     3 create 4 by 1 as coroutine awaited
     4 create 5 by 1 as coroutine session
     5 create 6 by 1 as io read
     6 fail 2 stoi
     7 fail 3 stoi
     8 fail 5 replaced
     9 fail 6 refused
    10 suspend 1 on 4
    11 fail 4 stoi
    12 resume 1 by 4
    13 resolve 1 by 1
  )");
  e.model.tasks[e.model.find(5)].reason = e.trace.strings.intern("read: End of file");
  const Waits waits = find_waits(e.trace, e.model);
  const auto found = unread_failures({e.trace, e.model, waits});
  REQUIRE(found.size() == 1);
  CHECK(e.id(found[0].task) == "2");
  CHECK(found[0].count == 2);
}

TEST_CASE("a failure that is read without a wait") {
  const Example e = ours(R"(
     0 create 1 as coroutine startup
     0 resume 1
     1 create 2 by 1 as coroutine eager
     2 fail 2 stoi
     3 ready 1 by 2
  )");
  CHECK(unread_failures({e.trace, e.model, find_waits(e.trace, e.model)}).empty());
}
