#include "trace/ask/awaited.h"

#include <doctest/doctest.h>

#include <array>

#include "trace/model/example.h"

namespace skein {

TEST_CASE("tasks that await one object, and the last that continued there") {
  Example e = ours(R"(
     0 create 1 as coroutine first
     0 create 2 as coroutine second
     0 create 3 as coroutine third
     1 resume 1
     2 ready 1
     3 suspend 1
     4 resume 2
     5 suspend 2
     6 resume 3
     7 suspend 3
     8 resume 1
     9 suspend 1
  )");
  const auto awaits = [&](uint64_t time, uint64_t address) {
    for (size_t i = 0; i < e.trace.events.size(); i++)
      if (e.trace.events.row(i).time == time)
        e.trace.awaited_objects.push_back({.event = i, .address = address, .type = 1});
  };
  awaits(2, 0x10);
  awaits(3, 0x20);
  awaits(5, 0x10);
  awaits(7, 0x10);
  const AwaitedObjects objects(e.trace, e.model);
  const auto find = [&](TaskId id) { return objects.of(e.model.find(id)); };
  REQUIRE(find(2));
  CHECK(find(2)->address == 0x10);
  CHECK(find(2)->others == 1);
  CHECK(find(2)->last == e.model.find(1));
  CHECK(find(2)->last_at == 2);
  REQUIRE(find(3));
  CHECK(find(3)->others == 1);
  CHECK(!find(1));  // its last wait concerns nothing known
}

TEST_CASE("tasks of two functions that wait for one object") {
  Example e = ours(R"(
     0 create 1 as coroutine reader
     0 create 2 as coroutine writer
     0 create 3 as coroutine reader
     1 resume 1
     2 suspend 1 at 1
     3 resume 2
     4 suspend 2 at 2
     5 resume 3
     6 suspend 3 at 3
  )");
  const std::array<uint32_t, 4> functions = {0, 7, 8, 7};
  for (size_t i = 0; i < functions.size(); i++) e.trace.locations[i].function = functions[i];
  for (const size_t i : {size_t{4}, size_t{6}, size_t{8}})
    e.trace.awaited_objects.push_back({i, 0x10, 1});
  const auto other = [&](TaskId id) {
    return AwaitedObjects(e.trace, e.model).of(e.model.find(id))->other_location;
  };
  CHECK(other(1) == 2);
  CHECK(other(2) == 1);
  CHECK(other(3) == 2);
  e.trace.locations[2].function = 7;
  CHECK(other(1) == 0);
}

TEST_CASE("what a ring has overwritten of awaited objects") {
  Example e = ours("0 create 1 as coroutine waits\n1 resume 1\n2 suspend 1");
  e.trace.live_tasks = {{.id = 1, .awaited_object = 0x10}};
  const AwaitedObjects objects(e.trace, e.model);
  REQUIRE(objects.of(0));
  CHECK(objects.of(0)->address == 0x10);
  CHECK(objects.of(0)->others == 0);
  CHECK(objects.of(0)->last == no_index);
}

TEST_CASE("the table's object is later than that of a thread whose events were kept") {
  Example e =
      ours("0 create 1 as coroutine waits\n1 resume 1\n2 suspend 1\n90 create 2 as coroutine");
  e.trace.awaited_objects = {{2, 0x20, 1}};
  e.trace.live_tasks = {{.id = 1, .since = 50, .awaited_object = 0x10}};
  CHECK(AwaitedObjects(e.trace, e.model).of(0)->address == 0x20);
  e.trace.info.complete_from = 80;
  CHECK(AwaitedObjects(e.trace, e.model).of(0)->address == 0x10);
}

}  // namespace skein
