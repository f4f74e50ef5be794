// The ticks of a copy in skein's format: those of the trace's counter, so that the copy aligns with
// other traces of its boot; nanoseconds if the trace has none.
#pragma once

#include <cstdint>

#include "trace/export/out.h"
#include "trace/read/ctf/tick_scale.h"
#include "trace/read/trace.h"

namespace skein {

class CtfClock {
 public:
  static constexpr uint64_t second = 1'000'000'000;

  // Adds the start time to `omissions` if a reader could not represent the ticks.
  CtfClock(const Trace& trace, Omissions& omissions)
      : clock_(trace.info.tick_clock.frequency != 0 ? trace.info.tick_clock
                                                    : TickClock{.boot_id = "",
                                                                .source = "nanoseconds",
                                                                .frequency = second,
                                                                .start = trace.info.start}),
        scale_(clock_.frequency) {
    const Events& events = trace.events;
    const uint64_t last = ticks(events.empty() ? 0 : events.time[events.size() - 1]);
    if (last <= INT64_MAX && clock_.start <= INT64_MAX - last) return;
    omissions.add("the start of the trace by its own clock");
    lost_ns_ = trace.info.start;
    clock_.start = 0;
  }

  const TickClock& clock() const { return clock_; }
  // The ticks of time 0.
  uint64_t base() const { return clock_.start; }
  // The trace's time 0, in nanoseconds after `base`.
  uint64_t lost_ns() const { return lost_ns_; }
  uint64_t ticks(uint64_t ns) const { return clock_.frequency == second ? ns : scale_.ticks(ns); }

  // A fraction of a second in ticks, rounded up so that a reader gets the same nanoseconds.
  uint64_t part_of_second(uint64_t ns) const {
    const unsigned __int128 counts = static_cast<unsigned __int128>(ns) * clock_.frequency;
    return static_cast<uint64_t>((counts + second - 1) / second);
  }

 private:
  TickClock clock_;
  ctf::TickScale scale_;
  uint64_t lost_ns_ = 0;
};

}  // namespace skein
