// A bound on the work that debug information of others may cause: entries in a circle, tables that
// every entry refers to, abbreviations with a million attributes.
#pragma once

#include <elfutils/libdw.h>
#include <time.h>

#include <algorithm>
#include <cstdint>

namespace skein {

// Replaces an entry by its next sibling. False: there is none, or, in damaged information, it is
// before this one.
inline bool next_sibling(Dwarf_Die* die) {
  const auto before = reinterpret_cast<uintptr_t>(die->addr);
  return dwarf_siblingof(die, die) == 0 && reinterpret_cast<uintptr_t>(die->addr) > before;
}

class DwarfWork {
 public:
  // `bytes` of debug information have at most as many entries, and take 20 ns each at most: usual
  // is 0.2 ns.
  explicit DwarfWork(uint64_t bytes) : left_(1'000'000 + 2 * bytes),
        most_ns_(static_cast<int64_t>(2'000'000'000 + 20 * std::min(bytes, uint64_t{1} << 40))) {}

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
    if (used_ns_ > most_ns_) left_ = 0;
    return left_ != 0;
  }
  bool is_exhausted() const { return left_ == 0; }

 private:
  static int64_t cpu_ns() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
  }
  uint64_t left_;
  int64_t most_ns_;
  unsigned calls_ = 0;
  int64_t used_ns_ = 0;
  int64_t last_ns_ = cpu_ns();
};

}  // namespace skein
