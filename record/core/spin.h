// A lock for cold paths whose acquisition is limited in time: a signal handler may have interrupted
// the holder on the same thread, and losing an event is better than stopping the program. It calls
// only `relax`, so that it works in the freestanding core.
//
// The word is 0 (free), 1 (held) or 2 (held, and another thread gave up). While it is 2, attempts
// fail at once: a holder that never releases the lock costs the program one wait, not one for each
// attempt. A release makes every state free.
#pragma once
#include <stdint.h>

namespace skein::record {

// Lets other threads run, for longer as `turn` grows. Set by the host; null if there are no
// threads.
extern void (*relax)(uint32_t turn);

class SpinLock {
 public:
  // Tries to acquire the lock and gives up after 300 calls of `relax`. The object is true if it
  // holds the lock.
  explicit SpinLock(uint32_t& word) : word_(word) {
    for (uint32_t i = 0; i < kTries; ++i) {
      const uint32_t seen = __atomic_load_n(&word_, __ATOMIC_RELAXED);
      if (seen == kFree && replace(kFree, kHeld)) {
        held_ = true;
        return;
      }
      if (seen == kStuck) return;
      if (i % 64 == 63 && relax != nullptr) relax(i / 64);
#if defined(__x86_64__) || defined(__i386__)
      __builtin_ia32_pause();
#endif
    }
    replace(kHeld, kStuck);
  }
  ~SpinLock() {
    if (held_) __atomic_store_n(&word_, kFree, __ATOMIC_RELEASE);
  }
  SpinLock(const SpinLock&) = delete;
  SpinLock& operator=(const SpinLock&) = delete;
  explicit operator bool() const { return held_; }

 private:
  static constexpr uint32_t kTries = 64 * 300;
  static constexpr uint32_t kFree = 0, kHeld = 1, kStuck = 2;

  bool replace(uint32_t from, uint32_t to) {
    return __atomic_compare_exchange_n(&word_, &from, to, false, __ATOMIC_ACQUIRE,
                                       __ATOMIC_RELAXED);
  }

  uint32_t& word_;
  bool held_ = false;
};

}  // namespace skein::record
