#include "trace/session/align.h"

#include <doctest/doctest.h>

using namespace skein;

namespace {

constexpr int64_t now = 1'700'000'000'000'000'000;
constexpr uint64_t ms = 1'000'000;

TraceInfo by_utc(std::optional<int64_t> utc, uint64_t start = 0) {
  TraceInfo info;
  info.start = start;
  info.utc_offset = utc;
  return info;
}
TraceInfo by_ticks(const char* boot_id, uint64_t start, int64_t utc,
                   uint64_t frequency = 156'250'000) {
  TraceInfo info = by_utc(utc, start);
  info.tick_clock = {.boot_id = boot_id, .source = "tsc", .frequency = frequency};
  return info;
}

TimeAlignment align_two(const TraceInfo& a, const TraceInfo& b, AlignBy by = AlignBy::Clock) {
  const Placed traces[] = {{a, ms}, {b, ms}};
  return align(traces, by);
}

using Offsets = std::vector<double>;

}  // namespace

TEST_CASE("no trace, and one trace at offset 0") {
  CHECK(align({}, AlignBy::Clock).offsets.empty());
  const TraceInfo info = by_utc(now);
  const Placed one[] = {{info, ms}};
  CHECK(align(one, AlignBy::Clock).offsets == Offsets{0});
  CHECK_FALSE(align(one, AlignBy::Clock).by_clock);
}

TEST_CASE("traces are aligned by UTC if it is known and they are close, else by start") {
  const TimeAlignment near = align_two(by_utc(now), by_utc(now + 300'000));
  CHECK(near.by_clock);
  CHECK(near.offsets == Offsets{0, 3e5});
  CHECK(align_two(by_utc(now), by_utc(now, 300'000)).offsets == Offsets{0, 3e5});
  CHECK(align_two(by_utc(now), by_utc(now - 300'000)).offsets == Offsets{0, -3e5});
  for (const TimeAlignment& apart :
       {align_two(by_utc(now), by_utc(now + 3'600'000'000'000)), align_two(by_utc(now), by_utc({})),
        align_two(by_utc({}), by_utc(now)), align_two(by_utc({}), by_utc({})),
        align_two(by_utc(INT64_MIN), by_utc(INT64_MAX)),
        align_two(by_utc(now), by_utc(now + 300'000), AlignBy::Start)}) {
    CHECK_FALSE(apart.by_clock);
    CHECK(apart.offsets == Offsets{0, 0});
  }
}

TEST_CASE("traces with the same counter are aligned by it, regardless of their UTC") {
  const TraceInfo first = by_ticks("boot", 2'000'000'000, now);
  CHECK(align_two(first, by_ticks("boot", 2'000'000'007, now - 1'200)).offsets == Offsets{0, 7});
  CHECK(align_two(first, by_ticks("boot", 1'999'999'993, now)).offsets == Offsets{0, -7});
  CHECK(align_two(first, by_ticks("other", 2'000'000'007, now)).offsets == Offsets{0, 7});
  CHECK(align_two(first, by_ticks("other", 2'000'000'007, now - 5)).offsets == Offsets{0, 2});
  // Not read with the first trace's frequency: their times differ in scale.
  CHECK(align_two(first, by_ticks("boot", 2'000'000'007, now - 5, 156'250'001)).offsets ==
        Offsets{0, 2});
  TraceInfo unknown_utc = by_ticks("boot", 2'000'000'007, 0);
  unknown_utc.utc_offset = {};
  CHECK(align_two(first, unknown_utc).offsets == Offsets{0, 7});
  CHECK(align_two(first, unknown_utc, AlignBy::Start).offsets == Offsets{0, 0});

  // Via a trace other than the first.
  const TraceInfo other = by_utc(now, 1'999'999'995);
  const TraceInfo second = by_ticks("boot", 2'000'000'007, now - 1'200);
  const Placed three[] = {{other, ms}, {first, ms}, {second, ms}};
  CHECK(align(three, AlignBy::Clock).offsets == Offsets{0, 5, 12});
}
