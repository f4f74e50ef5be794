// Part of skein/coroutine.h: the data added to a coroutine's frame, the events of a coroutine from
// creation to end, and the search for the task of an awaited object.
#ifndef SKEIN_COROUTINE_FRAME_H
#define SKEIN_COROUTINE_FRAME_H
#ifndef SKEIN_COROUTINE_H
#error "skein: include skein/coroutine.h"
#endif

#include <skein/skein.h>

#include <typeinfo>

#if __has_builtin(__builtin_source_location)
#include <source_location>
#endif

#if defined(__cpp_exceptions)
namespace __cxxabiv1 {  // as in <cxxabi.h>, which takes 7 ms to compile
extern "C" std::type_info* __cxa_current_exception_type() noexcept;
}  // namespace __cxxabiv1
#endif

namespace skein::detail {

// The caller's source location, as a default argument.
#if __has_builtin(__builtin_source_location)
struct place {
  const skein_source* at = nullptr;
  place() = default;
  place(std::source_location where) {  // one pointer; the object has skein_source's layout
    static_assert(sizeof where == sizeof at);
    __builtin_memcpy(&at, &where, sizeof at);
  }
  const skein_source* get() const { return at; }
  std::source_location location() const {
    std::source_location where;
    __builtin_memcpy(&where, &at, sizeof where);
    return where;
  }
};
#define SKEIN_DETAIL_PLACE std::source_location::current()
#else  // clang 14
struct place {
  skein_source at;
  const skein_source* get() const { return &at; }
};
#define SKEIN_DETAIL_PLACE                                                                 \
  ::skein::detail::place {                                                                 \
    { __builtin_FILE(), __builtin_FUNCTION(), static_cast<uint32_t>(__builtin_LINE()), 0 } \
  }
#endif

// The data added to a coroutine's frame: 24 bytes.
struct frame {
  skein_task task{};
  uint64_t previous;  // the task that was current before; or one of these:
};
inline constexpr uint64_t kEnded = ~0ull;
inline constexpr uint64_t kSuspended = ~1ull;
inline constexpr uint64_t kResumeUnreported = ~2ull;  // suspended; its resume will not be reported
inline constexpr uint64_t kNotStarted = ~3ull;        // suspended since its creation
inline constexpr uint64_t kResumed = 1ull << 63;      // + previous: the resume is already recorded

// The task that was current before a running coroutine. 0: none, or recording was started or
// stopped since.
inline uint64_t previous_of(const frame& f) { return f.previous >> 62 != 0 ? 0 : f.previous; }
// True from a suspension until its resume is recorded, and if that happened while recording was
// off.
inline bool not_running(const frame& f) { return f.previous >> 62 != 0; }
inline void resumed(frame& f) {
  f.previous = f.previous >> 62 == kResumed >> 62 ? f.previous & ~kResumed : skein_resume(&f.task);
}

// Records a suspension by a yield that has no traced awaiter, so that its resume is not reported:
// the coroutine's next event records it.
inline void suspended_unreported(frame& f) {
  if (f.previous == kResumeUnreported) return;
  skein_suspend(&f.task, 0, nullptr, ::skein::detail::previous_of(f));
  f.previous = kResumeUnreported;
}
inline void resumed_unreported(frame& f) {
  if (f.previous == kResumeUnreported) ::skein::detail::resumed(f);
}
// Records a missing resume of a coroutine that does not suspend now. If it resumed before recording
// started, there is none to record.
inline void resumed_before_ready(frame& f) {
  ::skein::detail::resumed_unreported(f);
  if (::skein::detail::not_running(f)) f.previous = 0;
}

// ---- the awaited coroutine ----
//
// `co_await f()` needs the id of the task it waits for. An object of a coroutine's return type
// contains the address of the frame or, as in Asio's awaitable, that of the promise:
//
//   frame -> +----------------+-----------------+------------+-- ... --+------+
//            | resume (code)  | destroy (code)  | promise    |         | task |
//            +----------------+-----------------+------------+-- ... --+------+
//
// The type states neither which word of the object it is nor whether that coroutine is traced: code
// that is not traced may return the same type. Two sets answer both questions: the destroy
// functions of all traced coroutines, which are few, each with the offset of the task in its frame;
// and the regions of memory that contained traced frames, so that no other pointer is followed.
// Each creation reads both sets and rarely writes one. Rejected: a table of the frames. It loses
// the oldest entries, is written by each creation, and is either per thread, which misses
// coroutines created by other threads, or contended.

// Hides a variable and the functions that use it: a symbol shared by modules (g++ makes it
// "unique") would prevent them from being unloaded.
#define SKEIN_DETAIL_HIDDEN __attribute__((visibility("hidden")))

// A set of nonzero words; the key is the word without its low kLow bits. A full set overwrites
// older words. Threads: any.
template <unsigned kLow>
struct word_set {
  static constexpr unsigned kBits = 10, kTries = 8;
  uint64_t words[1 << kBits];

  static unsigned slot(uint64_t key, unsigned tried) {
    return (static_cast<unsigned>((key * 0x9E3779B97F4A7C15ull) >> (64 - kBits)) + tried) %
           (1 << kBits);
  }
  // Returns the word with this key, or 0.
  uint64_t find(uint64_t key) const {
    for (unsigned tried = 0; tried < kTries; ++tried) {
      const uint64_t word = __atomic_load_n(&words[slot(key, tried)], __ATOMIC_RELAXED);
      if (word == 0) return 0;
      if (word >> kLow == key) return word;
    }
    return 0;
  }
  void add(uint64_t word) {
    const uint64_t key = word >> kLow;
    unsigned free = 0;
    while (free < kTries && __atomic_load_n(&words[slot(key, free)], __ATOMIC_RELAXED) != 0) ++free;
    __atomic_store_n(&words[slot(key, free % kTries)], word, __ATOMIC_RELAXED);
  }
};
inline constexpr unsigned kOffsetBits = 16;  // from a frame to its task, in words
inline constexpr unsigned kRegionBits = 18;  // 256 KiB; the set has room for 1024 of them
SKEIN_DETAIL_HIDDEN inline constinit word_set<kOffsetBits> traced_functions = {};
SKEIN_DETAIL_HIDDEN inline constinit word_set<0> traced_regions = {};
inline constexpr unsigned long kFrameToPromise = 2 * sizeof(void*);
using any_word __attribute__((__may_alias__)) = volatile uintptr_t;

inline void remember(const frame& f, const void* promise) {
  const uintptr_t begin = reinterpret_cast<uintptr_t>(promise) - kFrameToPromise;
  const uint64_t destroy = reinterpret_cast<const any_word*>(begin)[1];
  const uint64_t offset = (reinterpret_cast<uintptr_t>(&f) - begin) / sizeof(void*);
  const uint64_t word = destroy << kOffsetBits | offset;
  if (traced_functions.find(destroy) != word && word >> kOffsetBits == destroy &&
      offset < 1 << kOffsetBits)
    traced_functions.add(word);
  if (traced_regions.find(begin >> kRegionBits) == 0) traced_regions.add(begin >> kRegionBits);
}

// The data added to the frame that begins at `begin`. `function` is its entry in traced_functions.
inline frame* part_of(uintptr_t begin, uint64_t function) {
  return reinterpret_cast<frame*>(begin + function % (1 << kOffsetBits) * sizeof(void*));
}

// Returns the task of the traced coroutine whose frame or promise is at address `word`; 0: none.
// Not instrumented by sanitizers: the word that is read may be next to any live object until it is
// known to be a traced destroy function, and another thread may be ending the coroutine.
__attribute__((no_sanitize("address"), no_sanitize("thread"), noinline))
SKEIN_DETAIL_HIDDEN inline uint64_t
task_at(uintptr_t word) {
  if (word % kFrameToPromise != 0) return 0;  // the second word could be on another page
  for (int promise = 0; promise < 2; ++promise) {
    const uintptr_t begin = promise != 0 ? word - kFrameToPromise : word;
    if (traced_regions.find(begin >> kRegionBits) == 0) continue;
    const uint64_t function = traced_functions.find(reinterpret_cast<const any_word*>(begin)[1]);
    if (function == 0) continue;
    const frame& f = *::skein::detail::part_of(begin, function);
    // A task that ended in an earlier trace is not in this one.
    return f.previous == kEnded && f.task.generation != skein_generation() ? 0 : f.task.id;
  }
  return 0;
}

// Records that `ended` resolves and that the coroutine at this address resumes, with one time
// stamp. Returns false and records nothing if that coroutine is not traced or not suspended.
SKEIN_DETAIL_HIDDEN __attribute__((noinline)) inline bool resolve_for(skein_task& ended,
                                                                      const void* waiter) {
  const uintptr_t begin = reinterpret_cast<uintptr_t>(waiter);
  const uint64_t function = traced_functions.find(reinterpret_cast<const any_word*>(begin)[1]);
  if (function == 0) return false;
  frame* f = ::skein::detail::part_of(begin, function);
  if (f->previous != kSuspended) return false;
  f->previous = kResumed | skein_resolve_resume(&ended, 0, &f->task);
  return true;
}

// Links the recorder to a program without coroutines: its trace is empty, but it has one.
SKEIN_DETAIL_HIDDEN __attribute__((used)) inline void (*const recorder)() = skein_module_unloaded;

// Records the creation of a coroutine; `runs`: it is running. `name`: that of the function, without
// types. (The name in `where` has types and may exceed the limit of a trace; it is used for
// lambdas and operators.)
SKEIN_DETAIL_HIDDEN __attribute__((noinline)) inline void created(frame& f, const void* promise,
                                                                  uint32_t kind, const char* name,
                                                                  const skein_source* where,
                                                                  bool runs) {
  SKEIN_DETAIL_REPORT_UNLOAD();
  if (name[0] == 'o' && __builtin_strncmp(name, "operator", 8) == 0) name = nullptr;
  if (runs)
    f.previous = skein_create_running(&f.task, kind, name, where);
  else
    skein_create(&f.task, kind, name, where), f.previous = kNotStarted;
  ::skein::detail::remember(f, promise);
}

// The coroutine starts instead of being suspended first.
inline void started(frame& f) {
  if (skein_enabled())
    ::skein::detail::resumed(f);
  else
    f.previous = 0;
}

// Returns the task of the traced coroutine that an object of a coroutine's return type refers to;
// 0: unknown.
inline uint64_t awaited_task(const void* object, unsigned long size) {
  __asm__ volatile("" : : : "memory");
  const unsigned long words = size / sizeof(void*) < 4 ? size / sizeof(void*) : 4;
  for (unsigned long i = 0; i < words; ++i) {
    uintptr_t word;
    __builtin_memcpy(&word, static_cast<const char*>(object) + i * sizeof(word), sizeof(word));
    if (word == 0) continue;
    if (const uint64_t id = ::skein::detail::task_at(word)) return id;
  }
  return 0;
}

// Records that an exception left the coroutine. Precondition: the exception is being handled. The
// text of a std::exception is obtained by rethrowing it: there is no other portable way. That costs
// as much as the exception, and only while recording. A foreign exception is not rethrown, because
// a cancelled pthread must not be caught. Of other types the mangled name is recorded; readers
// demangle it, which takes memory and a stack. The text of a pointer to char may have no end.
SKEIN_DETAIL_HIDDEN __attribute__((noinline, cold)) inline void failed(frame& f) {
  const auto fail = [&f](const char* reason) {
    ::skein::detail::resumed_unreported(f);
    skein_fail(&f.task, reason, ::skein::detail::previous_of(f));
    f.previous = kEnded;
  };
#if defined(__cpp_exceptions)
  if (const std::type_info* type = __cxxabiv1::__cxa_current_exception_type()) {
    try {
      throw;
    } catch (const std::exception& e) {
      return fail(e.what());
    } catch (...) {
      char reason[256] = "an exception of type ";
      __builtin_strncat(reason, type->name(), sizeof reason - 1 - __builtin_strlen(reason));
      return fail(reason);
    }
  }
#endif
  fail("an exception");
}

// Records that the coroutine resolved. Its id stays valid: a later co_await reads the result.
inline void ended(frame& f) {
  if (f.task.id == 0 || f.previous == kEnded) return;  // never recorded, or failed
  ::skein::detail::resumed_unreported(f);
  skein_resolve(&f.task, ::skein::detail::previous_of(f));
  f.previous = kEnded;
}

}  // namespace skein::detail

#endif  // SKEIN_COROUTINE_FRAME_H
