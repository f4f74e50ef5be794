// Part of skein/coroutine.h: what it adds to a coroutine's frame, the events of a coroutine's life,
// and the search for the task that an object of a coroutine's return type stands for.
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
namespace __cxxabiv1 {  // as in <cxxabi.h>, which costs 7 ms
extern "C" std::type_info* __cxa_current_exception_type() noexcept;
extern "C" char* __cxa_demangle(const char* name, char* buffer, size_t* size, int* status);
}  // namespace __cxxabiv1
#endif

namespace skein::detail {

// Where a call stands in the source, as a default argument. Null (false) also says "suspended" in
// an awaiter, which needs the place no more by then.
#if __has_builtin(__builtin_source_location)
struct place {
  const skein_source* at = nullptr;
  place() = default;
  place(std::source_location where) {  // one pointer, to what skein_source is laid out like
    static_assert(sizeof where == sizeof at);
    __builtin_memcpy(&at, &where, sizeof at);
  }
  explicit operator bool() const { return at != nullptr; }
  const skein_source* get() const { return at; }
};
#define SKEIN_DETAIL_PLACE std::source_location::current()
#else  // clang 14
struct place {
  skein_source at;
  explicit operator bool() const { return at.function != nullptr; }
  const skein_source* get() const { return &at; }
};
#define SKEIN_DETAIL_PLACE                                                                 \
  ::skein::detail::place {                                                                 \
    { __builtin_FILE(), __builtin_FUNCTION(), static_cast<uint32_t>(__builtin_LINE()), 0 } \
  }
#endif

// What a coroutine's frame has more: 24 bytes.
struct frame {
  skein_task task{};
  uint64_t previous;  // what was current before it was resumed; or one of these:
};
inline constexpr uint64_t kEnded = ~0ull;
inline constexpr uint64_t kSuspended = ~1ull;
inline constexpr uint64_t kResumeUnreported = ~2ull;  // suspended; when it goes on is said late
inline constexpr uint64_t kResumed = 1ull << 63;  // + back: the recorder knows already that it runs

// It runs; what was current before? 0, too, if recording was switched on or off meanwhile.
inline uint64_t previous_of(const frame& f) { return f.previous >> 62 != 0 ? 0 : f.previous; }
inline void resumed(frame& f) {
  f.previous = f.previous >> 62 == kResumed >> 62 ? f.previous & ~kResumed : skein_resume(&f.task);
}

// By a yield that has no awaiter of ours: nobody will say when it goes on.
inline void suspended_unreported(frame& f) {
  if (f.previous == kResumeUnreported) return;
  skein_suspend(&f.task, 0, nullptr, ::skein::detail::previous_of(f));
  f.previous = kResumeUnreported;
}
inline void resumed_unreported(frame& f) {
  if (f.previous == kResumeUnreported) ::skein::detail::resumed(f);
}

// ---- which coroutine is awaited ----
//
// `co_await f()` is to say which task it waits for. An object of a coroutine's return type has the
// address of the frame somewhere in it or, as Asio's awaitable, that of the promise:
//
//   frame -> +----------------+-----------------+------------+-- ... --+------+
//            | resume (code)  | destroy (code)  | promise    |         | task |
//            +----------------+-----------------+------------+-- ... --+------+
//
// But which word of the object it is, and whether that coroutine is a traced one, is written
// nowhere. (The same return type may come from code that is not traced.) What is known: the
// destroy functions of all traced coroutines, which are few, with the place of the task in their
// frames; and the regions of memory in which traced frames have lain, so that no word is followed
// that points elsewhere. Both are asked at each create and hardly ever written. Rejected: the
// frames themselves in a table of any size, which forgets the older ones, is written at each
// create, and either knows nothing of other threads' or is fought over by them.

// Hidden, as are the functions that use it: a symbol that modules share (g++ makes it "unique")
// would keep a module from ever being unloaded.
#define SKEIN_DETAIL_HIDDEN __attribute__((visibility("hidden")))

// Nonzero words by a key, which is the word without its low kLow bits. Of more than it can hold it
// forgets the older ones. Any thread may ask and add.
template <unsigned kLow>
struct word_set {
  static constexpr unsigned kBits = 10, kTries = 8;
  uint64_t words[1 << kBits];

  static unsigned slot(uint64_t key, unsigned tried) {
    return (static_cast<unsigned>((key * 0x9E3779B97F4A7C15ull) >> (64 - kBits)) + tried) %
           (1 << kBits);
  }
  // 0: not in it.
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
inline constexpr unsigned kRegionBits = 18;  // 256 KiB: 1024 of them are much
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

// Our part of the frame that begins here, of a function found in traced_functions.
inline frame* part_of(uintptr_t begin, uint64_t function) {
  return reinterpret_cast<frame*>(begin + function % (1 << kOffsetBits) * sizeof(void*));
}

// The task of the traced coroutine whose frame or promise lies at `word`; 0 if none does. Not for
// the sanitizers: until the second word is known to be one of ours, this may be any live object's
// neighbour; and the id of a coroutine that is ending on another thread may be read.
__attribute__((no_sanitize("address"), no_sanitize("thread"), noinline))
SKEIN_DETAIL_HIDDEN inline uint64_t
task_at(uintptr_t word) {
  if (word % kFrameToPromise != 0) return 0;  // else the second word could be on another page
  for (int promise = 0; promise < 2; ++promise) {
    const uintptr_t begin = promise != 0 ? word - kFrameToPromise : word;
    if (traced_regions.find(begin >> kRegionBits) == 0) continue;
    const uint64_t function = traced_functions.find(reinterpret_cast<const any_word*>(begin)[1]);
    if (function == 0) continue;
    const frame& f = *::skein::detail::part_of(begin, function);
    // One that ended in an earlier trace is not in this one.
    return f.previous == kEnded && f.task.generation != skein_generation() ? 0 : f.task.id;
  }
  return 0;
}

// `ended` ends, and the coroutine of this address, if it is a traced one that waits, is resumed
// next: says both at once. False: says nothing.
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

// A module's places must be forgotten when the module is unloaded: one object a module, of which
// only the destructor matters.
template <class = void>
struct __attribute__((visibility("hidden"))) module_end {
  ~module_end() { skein_module_unloaded(); }
  static module_end instance;
};
template <class T>
module_end<T> module_end<T>::instance;

// Before: f.previous is the function's name without its types. (With them, in `where`, it may be
// longer than a trace keeps.) A lambda's is better with them.
SKEIN_DETAIL_HIDDEN __attribute__((noinline)) inline void created(frame& f, const void* promise,
                                                                  uint32_t kind,
                                                                  const skein_source* where,
                                                                  bool runs) {
  __asm__ volatile("" : : "r"(&module_end<>::instance) : "memory");
  const char* name = reinterpret_cast<const char*>(f.previous);
  if (name[0] == 'o' && __builtin_strcmp(name, "operator()") == 0) name = nullptr;
  if (runs)
    f.previous = skein_create_running(&f.task, kind, name, where);
  else
    skein_create(&f.task, kind, name, where), f.previous = 0;
  ::skein::detail::remember(f, promise);
}

// The task of the traced coroutine that an object of a coroutine's return type holds; 0: none is
// known.
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

// An exception leaves the coroutine; called while it is being handled. The text is found by
// throwing it once more: there is no other portable way, and it costs no more than the exception
// did, while recording only. Never for a foreign one (a cancelled pthread must not be caught).
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
    } catch (const char* text) {
      return fail(text);
    } catch (...) {
      char reason[256] = "an exception of type ";
      int status = 0;
      char* name = __cxxabiv1::__cxa_demangle(type->name(), nullptr, nullptr, &status);
      __builtin_strncat(reason, name != nullptr ? name : type->name(),
                        sizeof reason - 1 - __builtin_strlen(reason));
      __builtin_free(name);
      return fail(reason);
    }
  }
#endif
  fail("an exception");
}

// Its id stays: who awaits it later reads its result.
inline void ended(frame& f) {
  if (f.task.id == 0 || f.previous == kEnded) return;  // never recorded; failed
  ::skein::detail::resumed_unreported(f);
  skein_resolve(&f.task, ::skein::detail::previous_of(f));
  f.previous = kEnded;
}

}  // namespace skein::detail

#endif  // SKEIN_COROUTINE_FRAME_H
