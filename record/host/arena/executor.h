// The state of the arena's host, and its executor: one vCPU and its interrupts.
//
// An interrupt handler that interrupts an event (Writer::in_use) uses a second stream, as a signal
// handler does on POSIX. No handler leaves an event by longjmp, so a mark is always valid.
#pragma once
#include <skein/format.h>
#include <skein/skein.h>
#include <skein/unikernel.h>

#include "record/core/names.h"
#include "record/core/tasks.h"
#include "record/core/writer.h"

namespace skein::record {

struct ClockInfo {
  uint64_t ticks_per_second = 0;
  uint64_t ticks = 0;  // the same moment in two clocks
  uint64_t monotonic_ns = 0;
};

struct ArenaState {
  uint32_t generation = 0;
  Names* names = nullptr;
  TaskTable* table = nullptr;
  ClockInfo clock;
};
extern ArenaState state;

template <typename T>
T* now_of(T* const& pointer) {
  return __atomic_load_n(&pointer, __ATOMIC_ACQUIRE);
}
inline uint32_t generation_now() { return state.generation; }
inline bool is_on() { return __atomic_load_n(skein_page, __ATOMIC_ACQUIRE) != 0; }
inline const ClockInfo& clock_of(const Writer&) { return state.clock; }
inline Names* names_for_lookup() { return state.names; }

extern Writer* this_writer;
extern Writer* plain_writer;
Writer* attach();

struct ErrnoGuard {
  ErrnoGuard() {}  // a unikernel's calls have none
  ~ErrnoGuard() {}
};

// No interrupt is handled while a lock is held.
class BlockSignals {
 public:
#if defined(SKEIN_ARENA_IN_PROCESS)  // tests
  BlockSignals() {}
  ~BlockSignals() {}
#elif defined(__x86_64__)
  BlockSignals() { asm volatile("pushfq\n\tpopq %0\n\tcli" : "=r"(flags_) : : "memory"); }
  ~BlockSignals() {
    constexpr uint64_t kInterruptsEnabled = 0x200;
    if ((flags_ & kInterruptsEnabled) != 0) asm volatile("sti" : : : "memory");
  }
#elif defined(__aarch64__)
  BlockSignals() { asm volatile("mrs %0, daif\n\tmsr daifset, #2" : "=r"(flags_) : : "memory"); }
  ~BlockSignals() { asm volatile("msr daif, %0" : : "r"(flags_) : "memory"); }
#else
#error "no interrupts of this processor"
#endif
  BlockSignals(const BlockSignals&) = delete;
  BlockSignals& operator=(const BlockSignals&) = delete;

 private:
#if !defined(SKEIN_ARENA_IN_PROCESS)
  uint64_t flags_;
#endif
};

}  // namespace skein::record

// Needs the declarations above.
#include "record/core/session.h"
