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

TEST_CASE("a failure that is dropped is an error, unless an operation failed with it") {
  const Example e = ours(R"(
     0 create 1 as coroutine load
     0 create 2 as coroutine call
     0 resume 2
     1 create 3 by 2 as io connect
     2 fail 3 refused
     3 discard 2
     3 fail 2 connect: refused
     5 resume 1
     6 discard 1
     6 fail 1 stoi
     8 create 4 as coroutine other
     8 resume 4
     9 fail 4 stoi
  )");
  const Waits waits = find_waits(e.trace, e.model);
  const auto found = unread_failures({e.trace, e.model, waits});
  REQUIRE(found.size() == 3);
  CHECK((found[0].is_dropped && found[0].may_be_of_peer && !found[0].is_error()));
  CHECK((e.id(found[1].task) == "1" && found[1].is_error()));
  CHECK((!found[2].is_dropped && !found[2].is_error()));
}

TEST_CASE("a session may end with an exception") {
  const Example e = ours(R"(
     0 create 1 as coroutine session
     0 resume 1
     1 create 2 by 1 as coroutine read_line
     1 suspend 1 on 2
     1 resume 2
     2 create 3 by 2 as io socket.async_receive
     2 suspend 2 on 3
     3 resolve 3 by 3
     3 resume 2 by 3
     4 resolve 2 by 2
     4 resume 1 by 2
     5 discard 1
     5 fail 1 nonsense
  )");
  const Waits waits = find_waits(e.trace, e.model);
  const auto found = unread_failures({e.trace, e.model, waits});
  REQUIRE(found.size() == 1);
  CHECK((found[0].is_dropped && !found[0].is_error()));
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

TEST_CASE("the task that failed first, if others passed its failure on") {
  const Example e = ours(R"(
     0 create 1 as coroutine session
     0 resume 1
     1 create 2 by 1 as coroutine parse
     2 suspend 1 on 2
     3 resume 2
     4 fail 2 stoi
     5 resume 1 by 2
     6 fail 1 stoi
  )");
  const Waits waits = find_waits(e.trace, e.model);
  const auto found = unread_failures({e.trace, e.model, waits});
  REQUIRE(found.size() == 1);
  CHECK(e.id(found[0].task) == "1");
  CHECK(e.id(found[0].origin) == "2");
}

TEST_CASE("a failure whose reader came late, by an await of an unknown object") {
  const auto count = [](const std::string& events) {
    const Example e = ours(
        "0 create 2 as coroutine main\n 0 resume 2\n 1 create 1 by 2 as coroutine q\n"
        "2 resume 1 @1\n 5 fail 1 stoi @1\n" +
        events + "90 resolve 2 by 2\n");
    return unread_failures({e.trace, e.model, find_waits(e.trace, e.model)}).size();
  };
  CHECK(count("6 suspend 2\n 7 resume 2\n") == 0);
  CHECK(count("6 suspend 2\n 6 create 9 as handler x\n 7 resume 9\n 8 resolve 9\n 9 resume 2\n") ==
        1);                                         // it waited
  CHECK(count("4 suspend 2\n 7 resume 2\n") == 1);  // before the failure
  CHECK(count("") == 1);
}

TEST_CASE("a handler that threw") {
  Example e = ours("0 create 1 as handler post\n 1 resume 1\n 2 fail 1 -\n");
  e.model.tasks[e.model.find(1)].reason = e.trace.strings.intern("the handler threw");
  const Waits waits = find_waits(e.trace, e.model);
  const auto found = unread_failures({e.trace, e.model, waits});
  CHECK(found.size() == 1);
}
