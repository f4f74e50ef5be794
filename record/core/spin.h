// A lock for cold paths that never waits for ever: a signal handler may have interrupted its holder
// on this very thread, and a recorder would rather lose an event than stop the program. Makes no
// call but to what the host gave, so that it works in a freestanding core.
#pragma once
#include <stdint.h>

namespace skein::record {

// Lets other threads run for a moment, the longer the more turns it was asked already; null where
// there are none.
extern void (*relax)(uint32_t turn);

class SpinLock {
 public:
  // True in a boolean context if it holds the lock. Gives up after 300 turns of `relax`.
  explicit SpinLock(uint32_t& word) : word_(word) {
    for (uint32_t i = 0; i < kTries; ++i) {
      if (__atomic_load_n(&word_, __ATOMIC_RELAXED) == 0 &&
          __atomic_exchange_n(&word_, 1u, __ATOMIC_ACQUIRE) == 0) {
        held_ = true;
        return;
      }
      if (i % 64 == 63 && relax != nullptr) relax(i / 64);
#if defined(__x86_64__) || defined(__i386__)
      __builtin_ia32_pause();
#endif
    }
  }
  ~SpinLock() {
    if (held_) __atomic_store_n(&word_, 0u, __ATOMIC_RELEASE);
  }
  SpinLock(const SpinLock&) = delete;
  SpinLock& operator=(const SpinLock&) = delete;
  explicit operator bool() const { return held_; }

 private:
  static constexpr uint32_t kTries = 64 * 300;
  uint32_t& word_;
  bool held_ = false;
};

}  // namespace skein::record
