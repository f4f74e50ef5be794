#include "trace/read/event_schema.h"

#include <doctest/doctest.h>

#include "trace/read/ctf/event_table.h"
#include "trace/read/event_value.h"

using namespace skein;

TEST_CASE("the events of skein's format fill in the fields that have a role in the schema") {
  using ctf::Number;
  size_t seen = 0;
  for (const ctf::Known& known : ctf::known_events) {
    const ctf::Meaning& meaning = known.meaning;
    if (known.layout.layout != ctf::Layout::Numbers || known.layout.event == format::k_at ||
        known.layout.event == format::k_extra)
      continue;
    const EventSchema& schema = event_schema(meaning.kind);
    INFO(schema.name);
    seen++;
    CHECK((schema.task == IdRole::None) == (meaning.task == Number::None));
    CHECK((schema.other.role == IdRole::None) == (meaning.other == Number::None));
    const bool special = meaning.special != ctf::Special::No;
    if (meaning.value != Number::None) CHECK(schema.value.role != ValueRole::None);
    if (meaning.text != Number::None) CHECK(schema.text != TextRole::None);
    if (schema.value.role != ValueRole::None)
      CHECK((meaning.value != Number::None || meaning.place_is_made || special));
    switch (schema.effect) {
      case Effect::Runs:
        CHECK(meaning.after == meaning.task);
        break;
      case Effect::Suspends:
        CHECK(meaning.after == Number::None);
        break;
      case Effect::Ends:
      case Effect::Becomes:
        CHECK(meaning.task == Number::A);
        CHECK(meaning.after == Number::NotA);
        break;
      default:
        CHECK(meaning.after == Number::Current);
    }
  }
  CHECK(seen > event_kinds);
}

TEST_CASE("other_is_task holds only for tasks") {
  CHECK(other_is_task(EventKind::Create, 0));
  CHECK(other_is_task(EventKind::ScopeMember, 0));
  CHECK(other_is_task(EventKind::Suspend, 0));
  CHECK_FALSE(other_is_task(EventKind::Suspend, 1));
  CHECK_FALSE(other_is_task(EventKind::Acquire, 0));
  CHECK_FALSE(other_is_task(EventKind::Send, 0));
  CHECK_FALSE(other_is_task(EventKind::About, 0));
}

TEST_CASE("value_number resolves stacks and clock readings") {
  Trace trace;
  trace.clock_readings.push_back({.domain = 1, .ahead = -5, .bracket = 2});
  CHECK(value_number(trace, EventKind::Clock, 0) == static_cast<uint64_t>(-5));
  CHECK(value_number(trace, EventKind::Clock, 1) == 0);
  CHECK(value_number(trace, EventKind::Sample, trace.stacks.add(99)) == 99);
  CHECK(value_number(trace, EventKind::Notify, 3) == 3);
  CHECK_FALSE(value_number(trace, EventKind::Notify, unknown_value));
  CHECK_FALSE(value_number(trace, EventKind::Create, 0));
  CHECK_FALSE(value_number(trace, EventKind::Label, 0));
}
