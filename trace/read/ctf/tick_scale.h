// Converts ticks of a trace's counter to nanoseconds and back.
#pragma once

#include <cstdint>

namespace skein::ctf {

// Converts a tick count to nanoseconds, exact to the nanosecond over centuries.
class TickScale {
 public:
  TickScale() = default;
  explicit TickScale(uint64_t frequency)
      : frequency_(frequency),
        whole_(second / frequency),
        fraction_(static_cast<uint64_t>((static_cast<unsigned __int128>(second % frequency) << 64) /
                                        frequency)),
        most_(UINT64_MAX / (whole_ + 1)) {}

  // Saturates after 584 years.
  uint64_t ns(uint64_t ticks) const {
    if (ticks > most_) ticks = most_;
    return ticks * whole_ +
           static_cast<uint64_t>(static_cast<unsigned __int128>(ticks) * fraction_ >> 64);
  }

  // Returns the smallest number of ticks that lasts at least `ns`. Inverts ns() if a tick is at
  // least a nanosecond. Slow. Saturates at UINT64_MAX.
  uint64_t ticks(uint64_t ns) const {
    using Wide = unsigned __int128;
    const Wide exact = (static_cast<Wide>(ns) * frequency_ + second - 1) / second;
    if (exact >= most_) return most_;
    const auto ticks = static_cast<uint64_t>(exact);
    return this->ns(ticks) < ns ? ticks + 1 : ticks;  // fraction_ is rounded down
  }

 private:
  static constexpr uint64_t second = 1'000'000'000;
  uint64_t frequency_ = 0;
  uint64_t whole_ = 0;
  uint64_t fraction_ = 0;
  uint64_t most_ = 0;
};

}  // namespace skein::ctf
