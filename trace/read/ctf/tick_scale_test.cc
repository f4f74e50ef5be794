#include "trace/read/ctf/tick_scale.h"

#include <doctest/doctest.h>

#include "trace/read/ctf/test_directory.h"

using namespace skein;
using namespace skein::ctf;

TEST_CASE("traces of one boot share a time axis, exact except for rounding") {
  // Two processes that start 10 days after boot and measure frequencies 12 ppb apart. The second
  // sends a message; the first receives it one tick later, 100 s after its start.
  constexpr uint64_t rate = 156'250'003;  // a tick is 6.4 ns
  constexpr uint64_t boot_age = 864'000 * rate;
  const auto process = [](uint64_t first, uint64_t message, uint64_t frequency, const char* boot) {
    Fixture fixture;
    // Their UTC of tick 0 differs by a second: it is extrapolated, and the system time was set.
    fixture.files.add(
        "t/metadata",
        metadata_text("host", frequency, boot, frequency == rate ? 1'700'000'000 : 1'700'000'001));
    StreamWriter stream({.uuid = uuid, .stream = 0});
    stream.event(format::k_create, first, 1, 0);
    stream.event(format::k_resume, message, 1);
    fixture.add("s00000-", stream);
    return fixture;
  };
  for (uint64_t later : {uint64_t{0}, uint64_t{1}, 3 * rate + 7}) {
    CAPTURE(later);
    const uint64_t received = boot_age + 100 * rate + 12'345;
    Fixture one = process(boot_age, received, rate, "boot");
    Fixture two = process(boot_age + later, received - 1, rate + 2, "boot");  // 12.8 ppb
    const Trace receiver = one.read();
    CHECK(receiver.info.tick_clock.start == boot_age);
    CHECK(receiver.info.tick_clock.boot_id == "boot");
    CHECK(receiver.info.tick_clock.source == "tsc");
    const std::vector<TickClock> clocks = {TickClock{}, receiver.info.tick_clock};

    const Trace alone = two.read();
    CHECK(alone.info.tick_clock.frequency == rate + 2);
    CHECK_FALSE(alone.info.tick_clock.is_same_axis(receiver.info.tick_clock));
    const Trace sender = *ctf::read(two.files, "t", {}, clocks);
    CHECK(sender.info.tick_clock.is_same_axis(receiver.info.tick_clock));
    const auto at = [](const Trace& trace) { return trace.info.start + trace.events.time[1]; };
    CHECK(at(receiver) > at(sender));
    CHECK(at(receiver) - at(sender) <= 8);  // 6.4 rounded, plus 1
    const auto offset = static_cast<int64_t>(sender.info.start - receiver.info.start);
    CHECK(std::abs(static_cast<double>(offset) - static_cast<double>(later) * 1e9 / rate) <= 1);
    // Its first event keeps its own UTC.
    CHECK(static_cast<uint64_t>(*sender.info.utc_offset) + sender.info.start ==
          static_cast<uint64_t>(*alone.info.utc_offset) + alone.info.start);
    // With its own frequency, the message would be received before it is sent.
    if (later == 0) CHECK(at(alone) - alone.info.start < at(receiver) - receiver.info.start);

    // Another boot or an implausible frequency: each trace keeps its own frequency.
    Fixture rebooted = process(boot_age + later, received - 1, rate + 2, "other boot");
    CHECK(ctf::read(rebooted.files, "t", {}, clocks)->info.tick_clock.frequency == rate + 2);
    Fixture unknown = process(boot_age + later, received - 1, rate + 2, "");
    CHECK(ctf::read(unknown.files, "t", {}, clocks)->info.tick_clock.frequency == rate + 2);
    Fixture edited = process(boot_age + later, received - 1, rate * 2, "boot");
    CHECK(ctf::read(edited.files, "t", {}, clocks)->info.tick_clock.frequency == rate * 2);
  }
}

TEST_CASE("ticks become nanoseconds in order, and the same ticks again") {
  for (const uint64_t rate :
       {62'500'000ull, 99'999'999ull, 156'250'003ull, 250'000'000ull, 499'999'999ull}) {
    const TickScale scale(rate);
    for (const uint64_t start : {uint64_t{0}, uint64_t{1}, uint64_t{1'000'003}, rate * 1'000'000}) {
      // From any start, the same tick is at most 1 ns early.
      for (uint64_t i = 1; i < 5'000; i++) {
        const uint64_t now = scale.ns(start) + scale.ns(i);
        REQUIRE(scale.ns(start + i) - now <= 1);
        REQUIRE(now > scale.ns(start + i - 1));  // a tick is more than 2 ns
        REQUIRE(scale.ticks(scale.ns(start + i)) == start + i);
      }
    }
  }
  CHECK(TickScale(100).ticks(UINT64_MAX) == UINT64_MAX / 10'000'001);
}
