// A lock for cold paths whose acquisition is limited in time: a signal handler may have interrupted
// the holder on the same thread, and losing an event is better than stopping the program. It calls
// only `relax`, so that it works in the freestanding core.
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
