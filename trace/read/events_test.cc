#include "trace/read/events.h"

#include <doctest/doctest.h>

#include <set>
#include <string>

using namespace skein;

TEST_CASE("events come back as they were appended") {
  Events events;
  for (uint64_t i = 0; i < 5000; i++)
    events.append({.time = i,
                   .task = i * 3,
                   .other = i * 5,
                   .value = i * 7,
                   .text = static_cast<StringId>(i + 1),
                   .location = static_cast<uint32_t>(i + 2),
                   .executor = static_cast<uint32_t>(i % 3),
                   .kind = EventKind::CounterAdd,
                   .flags = static_cast<uint8_t>(i % 2)});
  REQUIRE(events.size() == 5000);
  CHECK(events.dropped() == 0);
  for (uint64_t i = 0; i < 5000; i++) {
    const EventRow row = events.row(i);
    REQUIRE(row.time == i);
    REQUIRE(row.task == i * 3);
    REQUIRE(row.other == i * 5);
    REQUIRE(row.value == i * 7);
    REQUIRE(row.text == i + 1);
    REQUIRE(row.location == i + 2);
    REQUIRE(row.executor == i % 3);
    REQUIRE(row.kind == EventKind::CounterAdd);
    REQUIRE(row.flags == i % 2);
  }
}

TEST_CASE("sorting keeps the order of equal times") {
  Events events;
  for (uint64_t i = 0; i < 3000; i++)
    events.append({.time = 1000 - i / 3, .task = i, .kind = EventKind::Resume});
  REQUIRE(events.sort_by_time());
  for (size_t i = 1; i < events.size(); i++) {
    REQUIRE(events.time[i - 1] <= events.time[i]);
    if (events.time[i - 1] == events.time[i]) REQUIRE(events.task[i - 1] < events.task[i]);
  }
  events.append({.time = 5000});  // still grows
  CHECK(events.size() == 3001);
  CHECK(events.time[3000] == 5000);
}

TEST_CASE("places and executors take no memory until there are some") {
  Events events;
  for (uint32_t i = 0; i < 5000; i++) events.append({.time = i});
  CHECK(events.location.values() == nullptr);
  CHECK(events.location[4999] == 0);
  for (uint32_t i = 5000; i < 20'000; i++) events.append({.time = 30'000 - i, .location = i});
  CHECK(events.executor.values() == nullptr);
  REQUIRE(events.sort_by_time());
  for (size_t i = 0; i < 20'000; i++) {
    REQUIRE(events.location[i] == (i < 5000 ? 0 : 30'000 - events.time[i]));
    REQUIRE(events.executor[i] == 0);
  }
}

TEST_CASE("every kind has a name of its own") {
  std::set<std::string_view> names;
  for (size_t kind = 0; kind < event_kinds; kind++) names.insert(name(EventKind(kind)));
  CHECK(names.size() == event_kinds);
  CHECK(name(EventKind::Create) == "create");
  CHECK(name(EventKind::CounterAdd) == "counter_add");
  CHECK(name(EventKind::Lost) == "lost");
  CHECK(name(EventKind(250)) == "unknown");
}

TEST_CASE("an event takes at most 80 bytes") {
  const Events e;
  const auto bytes_of = [](const auto& column) { return sizeof(column[0]); };
  CHECK(bytes_of(e.time) + bytes_of(e.task) + bytes_of(e.other) + bytes_of(e.value) +
            bytes_of(e.text) + bytes_of(e.location) + bytes_of(e.executor) + bytes_of(e.kind) +
            bytes_of(e.flags) ==
        46);
}

TEST_CASE("the list of losses is bounded, and its sums stay right") {
  std::vector<Loss> losses;
  for (uint64_t i = 0; i < 5000; i++)
    add_loss(losses, {.what = "hole", .offset = i, .bytes = 2, .packets = 0, .events = {}});
  CHECK(losses.size() == 1001);
  uint64_t bytes = 0;
  for (const Loss& loss : losses) bytes += loss.bytes.value_or(0);
  CHECK(bytes == 10000);
  CHECK(losses.back().packets == 0u);
  CHECK_FALSE(losses.back().events);
  CHECK(losses.back().offset == 1000);
}
