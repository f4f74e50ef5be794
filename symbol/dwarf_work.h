// A bound on the work that debug information of others may cause: entries in a circle, tables that
// every entry refers to, abbreviations with a million attributes.
#pragma once

#include <time.h>

#include <cstdint>

namespace skein {

class DwarfWork {
 public:
  // `bytes` of debug information have at most as many entries.
  explicit DwarfWork(uint64_t bytes) : left_(50'000'000 + 2 * bytes) {}

  // Work begins again: the time since the last spend() does not count.
  void resume() { last_ns_ = cpu_ns(); }

  // False: the bound is reached, once and for all. To be called for each entry.
  bool spend(uint64_t count = 1) {
    if (count > left_) left_ = 0;
    if (left_ == 0) return false;
    left_ -= count;
    // An entry may be slow, too.
    constexpr unsigned interval = 16;
    if (++calls_ % interval != 0) return true;
    const int64_t now = cpu_ns();
    used_ns_ += now - last_ns_;
    last_ns_ = now;
    if (used_ns_ > most_ns) left_ = 0;
    return left_ != 0;
  }
  bool is_exhausted() const { return left_ == 0; }

 private:
  static constexpr int64_t most_ns = 20'000'000'000;
  static int64_t cpu_ns() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
  }
  uint64_t left_;
  unsigned calls_ = 0;
  int64_t used_ns_ = 0;
  int64_t last_ns_ = cpu_ns();
};

}  // namespace skein
