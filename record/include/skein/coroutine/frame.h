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

namespace skein::SKEIN_DETAIL_NAMESPACE {

// The caller's source location, as a default argument.
#if __has_builtin(__builtin_source_location)
struct __place {
  const skein_source* __at = nullptr;
  __place() = default;
  __place(std::source_location __where) {  // one pointer; the object has skein_source's layout
    static_assert(sizeof __where == sizeof __at);
    __builtin_memcpy(&__at, &__where, sizeof __at);
  }
  const skein_source* __get() const { return __at; }
  std::source_location __location() const {
    std::source_location __where;
    __builtin_memcpy(&__where, &__at, sizeof __where);
    return __where;
  }
};
#define SKEIN_DETAIL_PLACE std::source_location::current()
#else  // clang 14
struct __place {
  skein_source __at;
  const skein_source* __get() const { return &__at; }
};
#define SKEIN_DETAIL_PLACE                                                                 \
  ::skein::__detail::__place {                                                             \
    { __builtin_FILE(), __builtin_FUNCTION(), static_cast<uint32_t>(__builtin_LINE()), 0 } \
  }
#endif

}  // namespace skein::SKEIN_DETAIL_NAMESPACE

// The same with all compilers: a coroutine may await one that another compiler has translated.
namespace skein::__detail {

// Restores errno. (<errno.h> would define its macros in every source.)
extern "C" int* skein_errno_location() noexcept __asm__("__errno_location");
struct __kept_errno {
  const int __value = *skein_errno_location();
  ~__kept_errno() { *skein_errno_location() = __value; }
};

// The data added to a coroutine's frame: 24 bytes.
struct __frame {
  skein_task __task{};
  uint64_t __previous;  // the task that was current before; or one of these:
};
inline constexpr uint64_t _KEnded = ~0ull;
inline constexpr uint64_t _KSuspended = ~1ull;
inline constexpr uint64_t _KResumeUnreported = ~2ull;  // suspended; its resume will not be reported
inline constexpr uint64_t _KNotStarted = ~3ull;        // suspended since its creation
inline constexpr uint64_t _KResumed = 1ull << 63;      // + previous: the resume is already recorded

// The task that was current before a running coroutine. 0: none, or recording was started or
// stopped since.
inline uint64_t __previous_of(const __frame& __f) {
  return __f.__previous >> 62 != 0 ? 0 : __f.__previous;
}
// True from a suspension until its resume is recorded, and if that happened while recording was
// off.
inline bool __not_running(const __frame& __f) { return __f.__previous >> 62 != 0; }
inline void __resumed(__frame& __f) {
  __f.__previous = __f.__previous >> 62 == _KResumed >> 62 ? __f.__previous & ~_KResumed
                                                           : skein_resume(&__f.__task);
}

// Records a suspension by a yield that has no traced awaiter, so that its resume is not reported:
// the coroutine's next event records it.
inline void __suspended_unreported(__frame& __f) {
  if (__f.__previous == _KResumeUnreported) return;
  skein_suspend(&__f.__task, 0, nullptr, ::skein::__detail::__previous_of(__f));
  __f.__previous = _KResumeUnreported;
}
inline void __resumed_unreported(__frame& __f) {
  if (__f.__previous == _KResumeUnreported) ::skein::__detail::__resumed(__f);
}
// Records a missing resume of a coroutine that does not suspend now. If it resumed before recording
// started, there is none to record.
inline void __resumed_before_ready(__frame& __f) {
  ::skein::__detail::__resumed_unreported(__f);
  if (::skein::__detail::__not_running(__f)) __f.__previous = 0;
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
// The type states neither which word of the object it is, nor whether that coroutine is traced:
// code that is not traced may return the same type; nor whether it still exists: a task may keep
// the handle of a coroutine that has destroyed itself, whose memory may be gone. Three tables
// answer:
//
// - the destroy functions of all traced coroutines, which are few, each with the offset of the task
//   in its frame;
// - the live frames, by their address. The table is small: a frame may overwrite the entry of
//   another one. A frame in it is live; one that is neither in it nor overwritten is not;
// - for the frames whose entry is overwritten: the regions of memory that contained traced frames,
//   so that no other pointer is followed. The kernel knows whether such memory still exists.

// Hides a variable and the functions that use it: a symbol shared by modules (g++ makes it
// "unique") would prevent them from being unloaded.
#define SKEIN_DETAIL_HIDDEN __attribute__((__visibility__("hidden")))

// A function that is no coroutine and returns what one of the program returns (clang's
// coro_return_type, coro_lifetimebound).
#if defined(__clang__) && __has_attribute(__coro_disable_lifetimebound__)
#define SKEIN_DETAIL_CORO_WRAPPER __attribute__((__coro_wrapper__, __coro_disable_lifetimebound__))
#elif defined(__clang__) && __has_attribute(__coro_wrapper__)
#define SKEIN_DETAIL_CORO_WRAPPER __attribute__((__coro_wrapper__))
#else
#define SKEIN_DETAIL_CORO_WRAPPER
#endif

// The unsigned arithmetic of this function may overflow.
#if defined(__clang__)
#define SKEIN_DETAIL_WRAPS \
  __attribute__((__no_sanitize__("unsigned-integer-overflow", "unsigned-shift-base")))
#else
#define SKEIN_DETAIL_WRAPS
#endif

// A set of nonzero words; the key is the word without its low kLow bits, and words have none of a
// key's top kLow bits: those of addresses of code are equal. A full set overwrites older words.
// Threads: any.
template <unsigned _KLow>
struct __word_set {
  static constexpr unsigned _KBits = 10, _KTries = 8;
  uint64_t __words[1 << _KBits];

  SKEIN_DETAIL_WRAPS static unsigned __slot(uint64_t __key, unsigned __tried) {
    return (static_cast<unsigned>((__key * 0x9E3779B97F4A7C15ull) >> (64 - _KBits)) + __tried) %
           (1 << _KBits);
  }
  // Returns the word with this key, or 0.
  SKEIN_DETAIL_WRAPS uint64_t __find(uint64_t __key) const {
    __key = __key << _KLow >> _KLow;
    for (unsigned __tried = 0; __tried < _KTries; ++__tried) {
      const uint64_t __word = __atomic_load_n(&__words[__slot(__key, __tried)], __ATOMIC_RELAXED);
      if (__word == 0) return 0;
      if (__word >> _KLow == __key) return __word;
    }
    return 0;
  }
  void __add(uint64_t __word) {
    const uint64_t __key = __word >> _KLow;
    unsigned __free = 0;
    while (__free < _KTries &&
           __atomic_load_n(&__words[__slot(__key, __free)], __ATOMIC_RELAXED) != 0)
      ++__free;
    __atomic_store_n(&__words[__slot(__key, __free % _KTries)], __word, __ATOMIC_RELAXED);
  }
};
inline constexpr unsigned _KOffsetBits = 16;  // from a frame to its task, in words
inline constexpr unsigned _KRegionBits = 18;  // 256 KiB; the set has room for 1024 of them
SKEIN_DETAIL_HIDDEN inline constinit __word_set<_KOffsetBits> __traced_functions = {};
SKEIN_DETAIL_HIDDEN inline constinit __word_set<0> __traced_regions = {};
inline constexpr unsigned long _KFrameToPromise = 2 * sizeof(void*);
// Addresses of frames; 0: none. The frames of 256 KiB of memory have different entries.
inline constexpr unsigned _KLiveBits = 13, _KLiveShift = 5;
SKEIN_DETAIL_HIDDEN inline constinit uintptr_t __live_frames[1 << _KLiveBits] = {};
inline uintptr_t& __live_slot(uintptr_t __begin) {
  return __live_frames[(__begin >> _KLiveShift ^ __begin >> (_KLiveBits + _KLiveShift)) %
                       (1 << _KLiveBits)];
}
using __any_word __attribute__((__may_alias__)) = volatile uintptr_t;

SKEIN_DETAIL_WRAPS inline void __remember(const __frame& __f, const void* promise) {
  const uintptr_t __begin = reinterpret_cast<uintptr_t>(promise) - _KFrameToPromise;
  const uint64_t destroy = reinterpret_cast<const __any_word*>(__begin)[1];
  const uint64_t __offset = (reinterpret_cast<uintptr_t>(&__f) - __begin) / sizeof(void*);
  const uint64_t __word = destroy << _KOffsetBits | __offset;
  if (__traced_functions.__find(destroy) != __word && __offset < 1 << _KOffsetBits)
    __traced_functions.__add(__word);
  if (__traced_regions.__find(__begin >> _KRegionBits) == 0)
    __traced_regions.__add(__begin >> _KRegionBits);
  __atomic_store_n(&::skein::__detail::__live_slot(__begin), __begin, __ATOMIC_RELAXED);
}
// Before the frame of this promise is freed, if it was recorded. Not inlined: the destructor of a
// promise is, wherever a task's is, and most of a coroutine's cost when recording is off is there.
__attribute__((__noinline__)) SKEIN_DETAIL_HIDDEN inline void __forget(__frame& __f,
                                                                      const void* promise) {
  const uintptr_t __begin = reinterpret_cast<uintptr_t>(promise) - _KFrameToPromise;
  uintptr_t& __slot = ::skein::__detail::__live_slot(__begin);
  if (__atomic_load_n(&__slot, __ATOMIC_RELAXED) == __begin)
    __atomic_store_n(&__slot, uintptr_t{0}, __ATOMIC_RELAXED);
  if (__f.__previous != _KEnded && skein_enabled()) skein_cancel(&__f.__task);
}

// The data added to the frame that begins at `begin`. `function` is its entry in traced_functions.
inline __frame* __part_of(uintptr_t __begin, uint64_t __function) {
  return reinterpret_cast<__frame*>(__begin + __function % (1 << _KOffsetBits) * sizeof(void*));
}

// For functions that read words which may be next to any object, or uninitialised.
#if defined(__clang__)
#define SKEIN_DETAIL_UNSANITIZED \
  __attribute__((__no_sanitize__("address"), __no_sanitize__("thread"), __no_sanitize__("memory")))
#else
#define SKEIN_DETAIL_UNSANITIZED \
  __attribute__((__no_sanitize__("address"), __no_sanitize__("thread")))
#endif

// Returns the data of the traced coroutine whose frame or promise is at address `word`, or null. It
// may have ended, and its frame may be gone, with its pages; another thread may be ending it.
__attribute__((__always_inline__)) SKEIN_DETAIL_UNSANITIZED SKEIN_DETAIL_HIDDEN inline __frame*
__frame_at(uintptr_t __word) {
  if (__word % _KFrameToPromise != 0) return nullptr;  // the second word could be on another page
  for (int promise = 0; promise < 2; ++promise) {
    const uintptr_t __begin = promise != 0 ? __word - _KFrameToPromise : __word;
    const uintptr_t __live =
        __atomic_load_n(&::skein::__detail::__live_slot(__begin), __ATOMIC_RELAXED);
    if (__live == 0) continue;
    const bool __is_live = __live == __begin;
    if (!__is_live && (__traced_regions.__find(__begin >> _KRegionBits) == 0 ||
                       skein_can_read(reinterpret_cast<const void*>(__begin + sizeof(void*))) == 0))
      continue;
    const uint64_t __function =
        __traced_functions.__find(reinterpret_cast<const __any_word*>(__begin)[1]);
    if (__function == 0) continue;
    __frame* __f = ::skein::__detail::__part_of(__begin, __function);
    constexpr int __page_bits = 12;
    if (!__is_live &&
        reinterpret_cast<uintptr_t>(&__f->__previous) >> __page_bits != __begin >> __page_bits &&
        skein_can_read(&__f->__previous) == 0)
      continue;
    return __f;
  }
  return nullptr;
}

__attribute__((__noinline__)) SKEIN_DETAIL_UNSANITIZED SKEIN_DETAIL_HIDDEN inline uint64_t
__task_at(uintptr_t __word) {
  const __frame* __f = ::skein::__detail::__frame_at(__word);
  if (__f == nullptr) return 0;
  // A task that ended in an earlier trace is not in this one.
  return __f->__previous == _KEnded && __f->__task.generation != skein_generation()
             ? 0
             : __f->__task.id;
}
__attribute__((__noinline__)) SKEIN_DETAIL_UNSANITIZED SKEIN_DETAIL_HIDDEN inline bool __discard_at(
    uintptr_t __word) {
  __frame* __f = ::skein::__detail::__frame_at(__word);
  if (__f != nullptr) skein_discard(&__f->__task);
  return __f != nullptr;
}

// ---- the awaited object ----
//
// A mutex, an event or a thread pool of a library is no task. Two waits are known to concern the
// same one by its address: the first word of the awaiter that may be the address of an object. That
// is a guess, so the word is not followed, only compared: it must be near the frame, the stack, the
// stack of main, the module's data or the thread's (libraries' data and the heaps of threads are
// near that). So times, numbers and most uninitialised words are no addresses.

// argv[0] is above the stack of main.
extern "C" char* skein_argv_0 __asm__("program_invocation_name") __attribute__((__weak__));

// Its text contains the name of the type. The recorder identifies it by its address.
template <class _Tp>
inline const char* __type_name() noexcept {
  return __PRETTY_FUNCTION__;
}

// The object of the awaiter at `at`, which has this size, of the coroutine with this promise; null:
// unknown.
__attribute__((__noinline__))
SKEIN_DETAIL_UNSANITIZED SKEIN_DETAIL_WRAPS SKEIN_DETAIL_HIDDEN inline const void*
__object_in(const void* __at, unsigned long __size, const void* __promise) {
  constexpr unsigned __area_bits = 36;
  constexpr unsigned long __most = 8 * sizeof(void*);
  const uintptr_t __begin = reinterpret_cast<uintptr_t>(__at);
  const uintptr_t __own = reinterpret_cast<uintptr_t>(__promise);
  const uintptr_t __areas[] = {
      __own, reinterpret_cast<uintptr_t>(&__size), reinterpret_cast<uintptr_t>(&__traced_regions),
      reinterpret_cast<uintptr_t>(skein_errno_location()),
      &skein_argv_0 != nullptr ? reinterpret_cast<uintptr_t>(skein_argv_0) : __own};
  const uintptr_t __end = __begin + (__size < __most ? __size : __most);
  for (uintptr_t __word = __begin; __word + sizeof(void*) <= __end; __word += sizeof(void*)) {
    const uintptr_t __object = *reinterpret_cast<const __any_word*>(__word);
    if (__object % sizeof(void*) != 0 || __object - __begin < __size || __object == __own ||
        __object == __own - _KFrameToPromise)
      continue;
    for (const uintptr_t __area : __areas)
      if ((__object ^ __area) >> __area_bits == 0) return reinterpret_cast<const void*>(__object);
  }
  return nullptr;
}

// Records that `ended` resolves and that the coroutine at this address resumes, with one time
// stamp. Returns false and records nothing if that coroutine is not traced or not suspended.
SKEIN_DETAIL_HIDDEN __attribute__((__noinline__)) inline bool __resolve_for(skein_task& __ended,
                                                                            const void* __waiter) {
  const uintptr_t __begin = reinterpret_cast<uintptr_t>(__waiter);
  const uint64_t __function =
      __traced_functions.__find(reinterpret_cast<const __any_word*>(__begin)[1]);
  if (__function == 0) return false;
  __frame* __f = ::skein::__detail::__part_of(__begin, __function);
  if (__f->__previous != _KSuspended) return false;
  __f->__previous = _KResumed | skein_resolve_resume(&__ended, 0, &__f->__task);
  return true;
}

// Records the creation of a coroutine; `runs`: it is running. `name`: that of the function, without
// types. (The name in `where` has types and may exceed the limit of a trace; it is used for
// lambdas and operators.)
SKEIN_DETAIL_HIDDEN __attribute__((__noinline__)) inline void __created(
    __frame& __f, const void* promise, uint32_t __kind, const char* __name,
    const skein_source* __where, bool __runs) {
  SKEIN_DETAIL_REPORT_UNLOAD();
  if (__name[0] == 'o' && __builtin_strncmp(__name, "operator", 8) == 0) __name = nullptr;
  if (__runs)
    __f.__previous = skein_create_running(&__f.__task, __kind, __name, __where);
  else
    skein_create(&__f.__task, __kind, __name, __where), __f.__previous = _KNotStarted;
  if (__f.__task.id != 0) ::skein::__detail::__remember(__f, promise);
}

// The coroutine starts instead of being suspended first.
inline void __started(__frame& __f) {
  if (skein_enabled())
    ::skein::__detail::__resumed(__f);
  else
    __f.__previous = 0;
}

// Calls `f` with the words of an object of a coroutine's return type until it returns something,
// and returns that.
template <class _Result, class _Fp>
SKEIN_DETAIL_UNSANITIZED inline _Result __find_word(const void* __object, unsigned long __size,
                                                    _Fp __f) {
  __asm__ volatile("" : : : "memory");
  const unsigned long __words = __size / sizeof(void*) < 4 ? __size / sizeof(void*) : 4;
  for (unsigned long __i = 0; __i < __words; ++__i) {
    uintptr_t __word;
    __builtin_memcpy(&__word, static_cast<const char*>(__object) + __i * sizeof(__word),
                     sizeof(__word));
    if (__word == 0) continue;
    if (const _Result __found = __f(__word)) return __found;
  }
  return {};
}

// Returns the task of the traced coroutine that the object refers to; 0: unknown.
inline uint64_t __awaited_task(const void* __object, unsigned long __size) {
  return ::skein::__detail::__find_word<uint64_t>(
      __object, __size, [](uintptr_t __word) { return ::skein::__detail::__task_at(__word); });
}
// Records that no code reads the failure of that task.
inline void __discard(const void* __object, unsigned long __size) {
  ::skein::__detail::__find_word<bool>(
      __object, __size, [](uintptr_t __word) { return ::skein::__detail::__discard_at(__word); });
}

// Records that the coroutine resolved. Its id stays valid: a later co_await reads the result.
inline void __ended(__frame& __f) {
  if (__f.__task.id == 0 || __f.__previous == _KEnded) return;  // never recorded, or failed
  ::skein::__detail::__resumed_unreported(__f);
  skein_resolve(&__f.__task, ::skein::__detail::__previous_of(__f));
  __f.__previous = _KEnded;
}

}  // namespace skein::__detail

namespace skein::SKEIN_DETAIL_NAMESPACE {

// Records that an exception left the coroutine. Precondition: the exception is being handled. The
// text of a std::exception is obtained by rethrowing it: there is no other portable way. That costs
// as much as the exception, and only while recording. A foreign exception is not rethrown, because
// a cancelled pthread must not be caught. Of other types the mangled name is recorded; readers
// demangle it, which takes memory and a stack. The text of a pointer to char may have no end.
// what() may set errno.
SKEIN_DETAIL_HIDDEN __attribute__((__noinline__, __cold__)) inline void __failed(__frame& __f) {
  const __kept_errno __kept;
  const auto __fail = [&__f](const char* __reason) {
    ::skein::__detail::__resumed_unreported(__f);
    skein_fail(&__f.__task, __reason, ::skein::__detail::__previous_of(__f));
    __f.__previous = _KEnded;
  };
#if defined(__cpp_exceptions)
  if (const std::type_info* __type = __cxxabiv1::__cxa_current_exception_type()) {
    try {
      throw;
    } catch (const std::exception& __e) {
      return __fail(__e.what());
    } catch (...) {
      char __reason[256] = "an exception of type ";
      __builtin_strncat(__reason, __type->name(), sizeof __reason - 1 - __builtin_strlen(__reason));
      return __fail(__reason);
    }
  }
#endif
  __fail("an exception");
}

}  // namespace skein::SKEIN_DETAIL_NAMESPACE

#endif  // SKEIN_COROUTINE_FRAME_H
