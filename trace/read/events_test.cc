#include <doctest/doctest.h>

#include <set>
#include <string>

#include "trace/read/trace.h"

using namespace skein;

namespace {

// Rows that need every packed width: the values in block n vary in n bits.
EventRow row_of(uint64_t i) {
  const uint64_t block = i / block_rows;
  const uint64_t low = (i * 0x9E3779B97F4A7C15) >> (block < 63 ? 63 - block : 0);
  const uint64_t common = block % 3 == 0 ? 0 : uint64_t{0xABCDEF} << 40;
  const bool odd = i % 2;
  return {.time = low | common,
          .task = i % 5 == 0 && block % 2 ? no_task : low,
          .other = block % 4 == 0 ? no_task : common + i,
          .value = odd ? 0 - low : low,
          .text = static_cast<StringId>(low),
          .location = static_cast<uint32_t>(low | common),
          .executor = static_cast<uint32_t>(block),
          .kind = EventKind(low % event_kinds),
          .flags = static_cast<uint8_t>(block % 5 == 1 ? low : 0)};
}

bool same(const EventRow& a, const EventRow& b) {
  return a.time == b.time && a.task == b.task && a.other == b.other && a.value == b.value &&
         a.text == b.text && a.location == b.location && a.executor == b.executor &&
         a.kind == b.kind && a.flags == b.flags;
}

}  // namespace

TEST_CASE("events are returned as appended, packed or not") {
  Events events;
  constexpr size_t count = 70 * block_rows + 5;
  for (size_t i = 0; i < count; i++) {
    events.append(row_of(i));
    if (!same(events.row(i), row_of(i))) FAIL("row ", i, " while it is not packed");
  }
  REQUIRE(events.size() == count);
  CHECK(events.dropped() == 0);
  const Events moved = std::move(events);
  for (size_t i = 0; i < count; i++)
    if (!same(moved.row(i), row_of(i))) FAIL("row ", i);
  for (size_t begin = 0; begin < count; begin += block_rows) {
    const auto times = moved.time.block(begin), tasks = moved.task.block(begin),
               values = moved.value.block(begin);
    const auto locations = moved.location.block(begin);
    const auto kinds = moved.kind.block(begin);
    for (size_t i = 0; i < block_rows && begin + i < count; i++) {
      const EventRow row = row_of(begin + i);
      if (times[i] != row.time || tasks[i] != row.task || values[i] != row.value ||
          locations[i] != row.location || kinds[i] != row.kind)
        FAIL("row ", begin + i, " of a block");
    }
  }
  CHECK(moved.task[5 * block_rows] == no_task);
  size_t visited = 0;
  moved.for_each([&](const EventRow& row) {
    if (!same(row, row_of(visited))) FAIL("row ", visited, " when all are visited");
    visited++;
  });
  CHECK(visited == count);
}

TEST_CASE("events are counted by kind") {
  Events events;
  CHECK(count_kinds(events)[0] == 0);
  for (size_t i = 0; i < 2 * block_rows + 3; i++)
    events.append({.kind = i % 2 ? EventKind::Label : EventKind::Lost});
  const auto counts = count_kinds(events);
  CHECK(counts[static_cast<size_t>(EventKind::Label)] == block_rows + 1);
  CHECK(counts[static_cast<size_t>(EventKind::Lost)] == block_rows + 2);
  CHECK(counts[static_cast<size_t>(EventKind::Create)] == 0);
}

TEST_CASE("visiting the events of an empty trace and of exactly one block") {
  Events events;
  size_t visited = 0;
  events.for_each([&](const EventRow&) { visited++; });
  CHECK(visited == 0);
  for (size_t i = 0; i < block_rows; i++) events.append({.time = i});
  events.for_each([&](const EventRow& row) { visited += row.time == visited; });
  CHECK(visited == block_rows);
}

TEST_CASE("extreme values survive in every column") {
  Events events;
  for (uint64_t i = 0; i < 2 * block_rows + 1; i++)
    events.append(i % 3 == 0 ? EventRow{.time = UINT64_MAX,
                                        .task = UINT64_MAX - 1,
                                        .other = 0,
                                        .value = uint64_t{1} << 63,
                                        .text = UINT32_MAX,
                                        .location = UINT32_MAX,
                                        .executor = UINT32_MAX,
                                        .kind = EventKind::Lost,
                                        .flags = UINT8_MAX}
                             : EventRow{.value = UINT64_MAX >> 1, .kind = EventKind::Create});
  for (const size_t i : {size_t{0}, block_rows * 2}) {
    const EventRow row = events.row(i + (3 - i % 3) % 3);
    if (i + (3 - i % 3) % 3 >= events.size()) continue;
    CHECK(row.time == UINT64_MAX);
    CHECK(row.task == UINT64_MAX - 1);
    CHECK(row.other == 0);
    CHECK(row.value == uint64_t{1} << 63);
    CHECK(row.text == UINT32_MAX);
    CHECK(row.flags == UINT8_MAX);
  }
  CHECK(events.row(1).value == UINT64_MAX >> 1);
  CHECK(events.row(1).task == no_task);
}

TEST_CASE("the last event can be amended, even in a full block") {
  Events events;
  events.amend_last(7, 1);  // no effect: there is no event
  for (uint64_t i = 0; i < 3 * block_rows; i++) {
    events.append({.time = i, .flags = 1});
    events.amend_last(i + 100, 2);
  }
  for (const size_t i : {size_t{0}, block_rows - 1, 3 * block_rows - 1}) {
    CHECK(events.time[i] == i + 100);
    CHECK(events.flags[i] == 3);
  }
}

TEST_CASE("every kind has a distinct name") {
  std::set<std::string_view> names;
  for (size_t kind = 0; kind < event_kinds; kind++) names.insert(name(EventKind(kind)));
  CHECK(names.size() == event_kinds);
  CHECK(name(EventKind::Create) == "create");
  CHECK(name(EventKind::CounterAdd) == "counter_add");
  CHECK(name(EventKind::Lost) == "lost");
  CHECK(name(EventKind(250)) == "unknown");
}

TEST_CASE("an event takes at most 80 bytes, and typically 20") {
  Events worst;
  Events usual;
  constexpr uint64_t scatter = 0x9E3779B97F4A7C15;
  for (uint64_t i = 0; i < 100'000; i++) {
    const uint64_t any = i * scatter;
    worst.append({.time = any,
                  .task = any,
                  .other = any,
                  .value = any,
                  .text = static_cast<StringId>(any),
                  .location = static_cast<uint32_t>(any),
                  .executor = static_cast<uint32_t>(any),
                  .kind = EventKind(any % event_kinds),
                  .flags = static_cast<uint8_t>(any)});
    usual.append({.time = i * 500,
                  .task = i / 10,
                  .other = i % 2 ? no_task : i / 10 - i % 7,
                  .value = 0 - any % 100,
                  .text = static_cast<StringId>(any % 500),
                  .location = static_cast<uint32_t>(any % 200),
                  .kind = EventKind(any % event_kinds)});
  }
  CHECK(worst.bytes() <= 80 * worst.size());
  CHECK(usual.bytes() <= 20 * usual.size());
}

TEST_CASE("the list of losses is bounded, and its totals stay correct") {
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
