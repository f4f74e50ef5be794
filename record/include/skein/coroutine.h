// Traces every C++20 coroutine of a translation unit, whatever library its promise comes from, with
// no change to the source: compile with `-include skein/coroutine.h` (the CMake target
// skein::coroutine does), link with skein::record. What is recorded: each coroutine as a task, with
// the function, file and line of its creation and of every co_await and co_yield, what it waits for
// where that can be known, who resumed it, and how it ended: a value, an exception with its text,
// or destroyed before its end.
//
// How: the standard library's coroutine_traits gets another name before <coroutine> is read, and
// the compiler finds one of ours in its place. Its promise_type is traced<P> for a promise P:
//
//    +----------------------------+-------------+--------+
//    | P, at offset 0             | task (16 B) | back   |
//    +----------------------------+-------------+--------+
//
// Libraries go on seeing P: handles given to await_suspend are coroutine_handle<P>, from_promise
// gives the right frame because P lies where it did, everything not named below is inherited.
// A `final` promise cannot be inherited from and is held as a member (boxed). A promise aligned to
// more than two pointers would move in the frame: its coroutines stay untraced.
//
// Rules this code keeps; each has a test in tests/adapters/coroutine_test.cc:
//  - A suspend is recorded before the inner await_suspend, for after it the frame may run on
//    another thread or be gone. Only when it says false or throws is the frame ours again.
//  - No thread_local is used here: a coroutine may go on on another thread, and compilers keep the
//    address of a thread_local across a co_await.
//  - The final awaiter is noexcept throughout. A final_suspend that does not suspend ends the task
//    just the same.
//  - Own helpers are called with their full names: a promise's namespaces must not take part.
//  - <coroutine> is not included: with its 30 ms it would cost the sources that have no coroutine.
//
// Limits: which coroutine is awaited is not known if it was made in another module (library) by a
// function that this one never called, or before the recording; an awaitable whose operator
// co_await is found by neither member nor argument-dependent look-up (say, one for
// std::chrono::duration in the global namespace) is awaited untraced; awaiting a bit-field or an
// overload set needs a cast; members of a promise must be accessible. Of a yield_value that is
// overloaded or a template, an overload whose parameter's type cannot be guessed (see `twins_of`)
// is not recorded as such: the coroutine is suspended, at no known place, from there to its next
// step that is recorded. A private overload beside a traced one does not
// compile, nor, in a `final` promise, a braced list for an overload that cannot be guessed.
#ifndef SKEIN_COROUTINE_H
#define SKEIN_COROUTINE_H
#if !defined(SKEIN_DISABLE) && defined(__cplusplus) && defined(__cpp_concepts) && \
    (defined(__cpp_impl_coroutine) || defined(__cpp_coroutines))
#pragma GCC system_header  // its warnings are not the user's

#if defined(_GLIBCXX_COROUTINE) || defined(_LIBCPP_COROUTINE)
#error \
    "skein: skein/coroutine.h must come before <coroutine>; compile with -include skein/coroutine.h"
#endif

#include <skein/skein.h>

#include <new>
#include <typeinfo>
#include <version>
#if defined(__cpp_exceptions)
namespace __cxxabiv1 {  // as in <cxxabi.h>, which costs 7 ms
extern "C" std::type_info* __cxa_current_exception_type() noexcept;
extern "C" char* __cxa_demangle(const char* name, char* buffer, size_t* size, int* status);
}  // namespace __cxxabiv1
#endif

#define coroutine_traits skein_original_coroutine_traits
#if defined(__GLIBCXX__)
namespace std _GLIBCXX_VISIBILITY(default) {
  _GLIBCXX_BEGIN_NAMESPACE_VERSION
  inline namespace __n4861 {
  template <typename Result, typename... Arguments>
  struct coroutine_traits;
  template <typename Promise>
  struct coroutine_handle;
  }  // namespace __n4861
  _GLIBCXX_END_NAMESPACE_VERSION
}  // namespace )
#else
#include <coroutine>
#endif
#undef coroutine_traits

#if __has_builtin(__builtin_source_location)
#include <source_location>
#endif

#if defined(__clang__) && __clang_major__ < 18
// llvm 56301: inlined, the variables of await_suspend may be put into the frame, which it must not
// touch.
#define SKEIN_DETAIL_OUT_OF_FRAME __attribute__((noinline))
#else
#define SKEIN_DETAIL_OUT_OF_FRAME
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
  uint64_t back;  // what was current before it was resumed; or one of these:
};
inline constexpr uint64_t kEnded = ~0ull;
inline constexpr uint64_t kSuspended = ~1ull;
inline constexpr uint64_t kUntold = ~2ull;        // suspended; when it goes on is said late
inline constexpr uint64_t kResumed = 1ull << 63;  // + back: the recorder knows already that it runs

// It runs; what was current before? 0, too, if recording was switched on or off meanwhile.
inline uint64_t back_of(const frame& f) { return f.back >> 62 != 0 ? 0 : f.back; }
inline void resumed(frame& f) {
  f.back = f.back >> 62 == kResumed >> 62 ? f.back & ~kResumed : skein_resume(&f.task);
}

// By a yield that has no awaiter of ours: nobody will say when it goes on.
inline void suspended_untold(frame& f) {
  if (f.back == kUntold) return;
  skein_suspend(&f.task, 0, nullptr, ::skein::detail::back_of(f));
  f.back = kUntold;
}
inline void resumed_untold(frame& f) {
  if (f.back == kUntold) ::skein::detail::resumed(f);
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
    return f.back == kEnded && f.task.generation != skein_generation() ? 0 : f.task.id;
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
  if (f->back != kSuspended) return false;
  f->back = kResumed | skein_resolve_resume(&ended, 0, &f->task);
  return true;
}

// A module's places must be forgotten when the module is unloaded: one object a module, of which
// only the destructor matters.
template <class = void>
struct __attribute__((visibility("hidden"))) module_end {
  ~module_end() { skein_forget_module(); }
  static module_end instance;
};
template <class T>
module_end<T> module_end<T>::instance;

// Before: f.back is the function's name without its types. (With them, in `where`, it may be longer
// than a trace keeps.) A lambda's is better with them.
SKEIN_DETAIL_HIDDEN __attribute__((noinline)) inline void created(frame& f, const void* promise,
                                                                  uint32_t kind,
                                                                  const skein_source* where,
                                                                  bool runs) {
  __asm__ volatile("" : : "r"(&module_end<>::instance) : "memory");
  const char* name = reinterpret_cast<const char*>(f.back);
  if (name[0] == 'o' && __builtin_strcmp(name, "operator()") == 0) name = nullptr;
  if (runs)
    f.back = skein_create_running(&f.task, kind, name, where);
  else
    skein_create(&f.task, kind, name, where), f.back = 0;
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
    ::skein::detail::resumed_untold(f);
    skein_fail(&f.task, reason, ::skein::detail::back_of(f));
    f.back = kEnded;
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
  if (f.task.id == 0 || f.back == kEnded) return;  // never recorded; failed
  ::skein::detail::resumed_untold(f);
  skein_resolve(&f.task, ::skein::detail::back_of(f));
  f.back = kEnded;
}

// ---- what the compiler does with an awaitable, done by hand ----

template <class T>
T&& some() noexcept;
template <class T>
struct bare {
  using type = T;
};
template <class T>
struct bare<T&> : bare<T> {};
template <class T>
struct bare<T&&> : bare<T> {};
template <class T>
struct bare<const T> : bare<T> {};

template <class T>
struct unreferenced {
  using type = T;
};
template <class T>
struct unreferenced<T&> : unreferenced<T> {};
template <class T>
struct unreferenced<T&&> : unreferenced<T> {};

template <class T>
concept has_member_co_await = requires(T&& t) {
  static_cast<T&&>(t).operator co_await();
};
template <class T>
concept has_free_co_await = requires(T&& t) {
  operator co_await(static_cast<T&&>(t));
};
template <class T>
concept awaitable = has_member_co_await<T> || has_free_co_await<T> || requires(T&& t) {
  t.await_ready();
};
// Is it the type a coroutine returns?
template <class T>
concept is_task_object = requires {
  typename std::skein_original_coroutine_traits<typename bare<T>::type>::promise_type;
};

template <class P, class A>
concept transforms = requires(P& p, A&& a) {
  p.await_transform(static_cast<A&&>(a));
};
// Has the promise a yield_value? The name is in P if it becomes ambiguous beside another.
struct yield_value_name {
  void yield_value();
};
template <class P>
struct yield_probe : P, yield_value_name {};
template <class P, bool Final = __is_final(P)>
inline constexpr bool yields = !requires {
  &yield_probe<P>::yield_value;
};
template <class P>
inline constexpr bool yields<P, true> = requires {
  &P::yield_value;
};

// ---- which yield_values can be traced ----
//
// Overload resolution must find what it finds without us: a braced list has no type, and what an
// argument is converted to must live until the coroutine goes on. So there is no template that
// takes anything, but for each yield_value that is known a twin with the very same parameter, which
// hides it. One alone is known by its address. Of several those are found whose parameter is T, T&,
// const T& or T&&, for each T there is a hint of: an argument of the return type, say generator<T>,
// the promise's value_type, and what is the only T of one of these forms. Others stay as they are.

template <class... X>
struct types {
  template <class... Y>
  constexpr types<X..., Y...> operator+(types<Y...>) const {
    return {};
  }
};

template <class F>
struct signature;  // of the only one
#define SKEIN_DETAIL_SIGNATURE(...)           \
  template <class C, class R, class V>        \
  struct signature<R (C::*)(V) __VA_ARGS__> { \
    using parameters = types<V>;              \
  };
SKEIN_DETAIL_SIGNATURE()
SKEIN_DETAIL_SIGNATURE(const)
SKEIN_DETAIL_SIGNATURE(&)
SKEIN_DETAIL_SIGNATURE(const&)
SKEIN_DETAIL_SIGNATURE(noexcept)
SKEIN_DETAIL_SIGNATURE(const noexcept)
SKEIN_DETAIL_SIGNATURE(&noexcept)
SKEIN_DETAIL_SIGNATURE(const& noexcept)
#undef SKEIN_DETAIL_SIGNATURE
template <class R, class V>
struct signature<R (*)(V)> {
  using parameters = types<V>;
};
template <class R, class V>
struct signature<R (*)(V) noexcept> : signature<R (*)(V)> {};
template <class P>
concept yields_one_way = requires {
  typename signature<decltype(&P::yield_value)>::parameters;
};

// A twin takes its parameter and hands it on.
template <class P, class X>
concept can_yield = requires(P& p, X (*x)()) {
  p.yield_value(static_cast<X&&>(x()));
};
template <class P, class X>
using yield_result = decltype(some<P&>().yield_value(some<X>()));
template <class P, class X>
concept yields_exactly = can_yield<P, X> &&(
    requires { static_cast<yield_result<P, X> (P::*)(X)>(&P::yield_value); } ||
    requires { static_cast<yield_result<P, X> (P::*)(X) const>(&P::yield_value); });

template <class C, class R, class T>
types<T> the_only_rvalue(R (C::*)(T&&));
template <class C, class R, class T>
types<T> the_only_const(R (C::*)(const T&));
template <class T>
struct arguments_of {
  using type = types<>;
};
template <template <class...> class G, class... T>
struct arguments_of<G<T...>> {
  using type = types<typename bare<T>::type...>;
};
template <class R>
constexpr auto return_hints() {
  return typename arguments_of<typename bare<R>::type>::type{};
}
template <class P>
constexpr auto type_hints() {
  if constexpr (requires { typename P::value_type; })
    return types<typename bare<typename P::value_type>::type>{};
  else
    return types<>{};
}
template <class P>
constexpr auto rvalue_hints() {
  if constexpr (requires { the_only_rvalue(&P::yield_value); })
    return decltype(the_only_rvalue(&P::yield_value)){};
  else
    return types<>{};
}
template <class P>
constexpr auto const_hints() {
  if constexpr (requires { the_only_const(&P::yield_value); })
    return decltype(the_only_const(&P::yield_value)){};
  else
    return types<>{};
}

template <class P, class X>
constexpr auto exactly() {
  if constexpr (::skein::detail::yields_exactly<P, X>)
    return types<X>{};
  else
    return types<>{};
}
template <class P, class T>
constexpr auto exactly_of() {
  if constexpr (!requires { typename types<T&>; })
    return types<>{};
  else if constexpr (::skein::detail::yields_exactly<P, T>)
    return types<T>{};
  else
    return ::skein::detail::exactly<P, T&>() + ::skein::detail::exactly<P, const T&>() +
           ::skein::detail::exactly<P, T&&>();
}
template <class P, class... T>
constexpr auto exactly_of_any(types<T...>) {
  return (types<>{} + ... + ::skein::detail::exactly_of<P, T>());
}
template <class P, class R>
constexpr auto twins_of() {
  if constexpr (!__is_final(P) && !::skein::detail::yields<P>) {
    return types<>{};
  } else if constexpr (::skein::detail::yields_one_way<P>) {
    constexpr auto one = []<class X>(types<X>) {
      if constexpr (::skein::detail::can_yield<P, X>)
        return types<X>{};
      else
        return types<>{};
    };
    return one(typename signature<decltype(&P::yield_value)>::parameters{});
  } else {
    return ::skein::detail::exactly_of_any<P>(
        ::skein::detail::return_hints<R>() + ::skein::detail::type_hints<P>() +
        ::skein::detail::rvalue_hints<P>() + ::skein::detail::const_hints<P>());
  }
}

enum class step { initial, await, yield, final };

struct from_initial {};
struct from_final {};
struct from_yield {};
template <class P>
decltype(auto) awaitable_of(P& p, from_initial) {
  return p.initial_suspend();
}
template <class P>
decltype(auto) awaitable_of(P& p, from_final) noexcept {
  return p.final_suspend();
}
template <class P, class V>
decltype(auto) awaitable_of(P& p, V&& v, from_yield) {
  return p.yield_value(static_cast<V&&>(v));
}
template <class P, class A>
decltype(auto) awaitable_of(P& p, A&& a) {
  if constexpr (::skein::detail::transforms<P, A>)
    return p.await_transform(static_cast<A&&>(a));
  else
    return static_cast<A&&>(a);
}

template <class T>
decltype(auto) awaiter_of(T&& t) noexcept(noexcept(operator co_await(
    static_cast<T&&>(t)))) requires(!has_member_co_await<T> && has_free_co_await<T>) {
  return operator co_await(static_cast<T&&>(t));
}
template <class T>
decltype(auto) awaiter_of(T&& t) noexcept(
    noexcept(static_cast<T&&>(t).operator co_await())) requires has_member_co_await<T> {
  return static_cast<T&&>(t).operator co_await();
}

// Keeps what is awaited (T: a value, or a reference to what the coroutine holds), and its awaiter
// where that is another object.
template <class T>
struct held {
  T object;
  template <class... F>
  explicit held(F&&... from) : object(::skein::detail::awaitable_of(static_cast<F&&>(from)...)) {}
  auto& awaiter() noexcept { return object; }
  uint64_t task() {
    return ::skein::detail::awaited_task(__builtin_addressof(object), sizeof object);
  }
};
template <class T>
requires has_member_co_await<T> || has_free_co_await<T>
struct held<T> {
  using Awaiter = decltype(::skein::detail::awaiter_of(::skein::detail::some<T>()));
  T object;
  Awaiter inner;
  template <class... F>
  explicit held(F&&... from)
      : object(::skein::detail::awaitable_of(static_cast<F&&>(from)...)),
        inner(::skein::detail::awaiter_of(static_cast<T&&>(object))) {}
  auto& awaiter() noexcept { return inner; }
  uint64_t task() {
    const uint64_t id = ::skein::detail::awaited_task(__builtin_addressof(object), sizeof object);
    return id != 0 ? id : ::skein::detail::awaited_task(__builtin_addressof(inner), sizeof inner);
  }
};

// The inner await_suspend threw: the coroutine goes on.
struct resume_if_thrown {
  frame* f;
  ~resume_if_thrown() {
    if (f != nullptr && skein_on()) ::skein::detail::resumed(*f);
  }
};

// The awaiter the compiler sees. D: the promise it sees; Task: what is awaited is a coroutine's
// return object.
template <class D, step Step, class T, bool Task>
struct traced_awaiter {
  held<T> inner;
  D* self;
  place where;  // null: suspended

  template <class... F>
  traced_awaiter(D* d, place w, F&&... from) noexcept(Step == step::final)
      : inner(static_cast<F&&>(from)...), self(d), where(w) {}
  traced_awaiter(const traced_awaiter&) = delete;

  using Handle = std::coroutine_handle<typename D::skein_promise_type>;
  using Awaiter = decltype(::skein::detail::some<held<T>&>().awaiter());
  using Suspended =
      decltype(::skein::detail::some<Awaiter>().await_suspend(::skein::detail::some<Handle>()));
  static constexpr bool kSuspendsNoexcept =
      noexcept(::skein::detail::some<Awaiter>().await_suspend(::skein::detail::some<Handle>()));

  // A yield's place is asked for here: a twin of yield_value has no parameter to spare.
  bool await_ready(::skein::detail::place here = SKEIN_DETAIL_PLACE) noexcept(
      Step == step::final || noexcept(::skein::detail::some<Awaiter>().await_ready())) {
    if constexpr (Step == step::yield) where = here;
    const bool ready = static_cast<bool>(inner.awaiter().await_ready());
    if constexpr (Step == step::initial) {
      if (skein_on())
        ::skein::detail::created(self->skein_frame, self, D::kSkeinKind, where.get(), ready);
      else
        self->skein_frame.back = 0;
    } else if constexpr (Step == step::await) {
      if (ready && skein_on()) ::skein::detail::resumed_untold(self->skein_frame);
      if (ready && skein_on()) skein_ready(&self->skein_frame.task, awaited(), where.get());
    }
    return ready;
  }

  template <class H>
  SKEIN_DETAIL_OUT_OF_FRAME Suspended await_suspend(H h) noexcept(Step == step::final ||
                                                                  kSuspendsNoexcept) {
    const Handle handle = Handle::from_address(h.address());
    if constexpr (Step == step::await || Step == step::yield) {
      if (skein_on()) {
        frame& f = self->skein_frame;
        ::skein::detail::resumed_untold(f);
        skein_suspend(&f.task, awaited(), where.get(), ::skein::detail::back_of(f));
        f.back = kSuspended;
      }
    }
    where = {};
    if constexpr (Step == step::final || kSuspendsNoexcept) {
      return inner.awaiter().await_suspend(handle);
    } else {
      resume_if_thrown guard{&self->skein_frame};
      if constexpr (__is_same(Suspended, void)) {
        inner.awaiter().await_suspend(handle);
        guard.f = nullptr;
      } else {
        Suspended result = inner.awaiter().await_suspend(handle);
        guard.f = nullptr;
        return result;
      }
    }
  }

  decltype(auto) await_resume() noexcept(
      noexcept(::skein::detail::some<Awaiter>().await_resume())) {
    if constexpr (Step != step::final) {
      if (!where && skein_on()) ::skein::detail::resumed(self->skein_frame);
    }
    return inner.awaiter().await_resume();
  }

 private:
  uint64_t awaited() {
    if constexpr (requires { inner.awaiter().skein_awaits(); })  // skein/sync.h
      return inner.awaiter().skein_awaits();
    else if constexpr (Task)
      return inner.task();
    else
      return 0;
  }
};

// ---- the promise the compiler sees ----

// A final promise as the first member, and the names of it that the compiler looks for.
template <class P>
struct box {
  P skein_promise;

  box() requires requires { P(); }
  = default;
  template <class... A>
  requires(sizeof...(A) > 0 && requires(A & ... a) { P(a...); }) explicit box(A&... a)
      : skein_promise(a...) {}
  decltype(auto) get_return_object() { return skein_promise.get_return_object(); }
  void yield_value();  // for yielding to name
};
template <class P>
concept returns_void = requires(P& p) {
  p.return_void();
};
template <class P>
struct box_returning_void : box<P> {
  using box<P>::box;
  void return_void() { this->skein_promise.return_void(); }
};
template <class P>
struct box_returning_value : box<P> {
  using box<P>::box;
  template <class V>
  auto return_value(V&& v) -> decltype(some<P&>().return_value(static_cast<V&&>(v))) {
    return this->skein_promise.return_value(static_cast<V&&>(v));
  }
};
// Allocation as the compiler would do it for P itself.
template <class P, class B>
struct box_allocating : B {
  using B::B;
  static void* operator new(unsigned long size) {
    if constexpr (requires { P::operator new(size); })
      return P::operator new(size);
    else
      return ::operator new(size);
  }
  template <class First, class... Rest>
  requires requires(unsigned long n, First& f, Rest&... r) { P::operator new(n, f, r...); }
  static void* operator new(unsigned long size, First& first, Rest&... rest) {
    return P::operator new(size, first, rest...);
  }
  static void operator delete(void* p, unsigned long size) {
    if constexpr (requires { P::operator delete(p, size); })
      P::operator delete(p, size);
    else if constexpr (requires { P::operator delete(p); })
      P::operator delete(p);
    else
      ::operator delete(p);
  }
};
template <class P>
concept falls_back = requires {
  P::get_return_object_on_allocation_failure();
};
template <class P, class B>
struct box_falling_back : B {
  using B::B;
  static auto get_return_object_on_allocation_failure() {
    return P::get_return_object_on_allocation_failure();
  }
  static void* operator new(unsigned long size, const std::nothrow_t& tag) noexcept {
    if constexpr (requires { P::operator new(size, tag); })
      return P::operator new(size, tag);
    else if constexpr (requires { P::operator new(size); })
      return P::operator new(size);
    else
      return ::operator new(size, tag);
  }
  static void* operator new(unsigned long size) noexcept {
    return operator new(size, std::nothrow);
  }
  template <class First, class... Rest>
  requires requires(unsigned long n, First& f, Rest&... r) { P::operator new(n, f, r...); }
  static void* operator new(unsigned long size, First& first, Rest&... rest) noexcept {
    return P::operator new(size, first, rest...);
  }
  static void operator delete(void* p, unsigned long size) { B::operator delete(p, size); }
};

template <bool First, class A, class B>
struct choose {
  using type = A;
};
template <class A, class B>
struct choose<false, A, B> {
  using type = B;
};
template <class P>
struct boxed {
  using returning =
      typename choose<returns_void<P>, box_returning_void<P>, box_returning_value<P>>::type;
  using allocating = box_allocating<P, returning>;
  using type = typename choose<falls_back<P>, box_falling_back<P, allocating>, allocating>::type;
};

// Base, which has a yield_value, with a twin for each parameter X. D: traced.
template <class D, class Base, class... X>
struct yielding : Base {
  using Base::Base;
};
template <class D, class Base, class X, class... Rest>
struct yielding<D, Base, X, Rest...> : yielding<D, Base, Rest...> {
  using yielding<D, Base, Rest...>::yielding;
  using yielding<D, Base, Rest...>::yield_value;
  auto yield_value(X x) { return static_cast<D*>(this)->template skein_yield<X>(x); }
};

// For what is final and has perhaps several, the twins and what goes without.
struct anything {};
template <class D, class Base>
struct yielding<D, Base, anything> : Base {
  using Base::Base;
  template <class V>
  requires requires(Base& b, V&& v) { b.skein_promise.yield_value(static_cast<V&&>(v)); }
  auto yield_value(V&& v) { return static_cast<D*>(this)->template skein_yield<V&&>(v); }
};

// Base: P, or a box with a P.
template <class P, class Base, class... Yielded>
struct traced : yielding<traced<P, Base, Yielded...>, Base, Yielded...> {
  using yielding<traced, Base, Yielded...>::yielding;
  using skein_promise_type = P;
  static constexpr uint32_t kSkeinKind =
      ::skein::detail::yields<P> ? SKEIN_KIND_generator : SKEIN_KIND_coroutine;
  ::skein::detail::frame skein_frame;

  ~traced() {
    if (skein_frame.task.id != 0 && skein_frame.back != kEnded && skein_on())
      skein_cancel(&skein_frame.task);
  }

#if defined(__GNUC__) && !defined(__clang__)
  // g++ names the function best here ("void f(f(int)::_Z1fi.Frame*)" in initial_suspend). The line
  // is that of the closing brace, wherever one asks.
  decltype(auto) get_return_object(::skein::detail::place where = SKEIN_DETAIL_PLACE) {
    __builtin_memcpy(&skein_frame.back, &where, sizeof where);
    return skein_inner().get_return_object();
  }
  auto initial_suspend(const char* name = __builtin_FUNCTION()) {
    ::skein::detail::place where;
    __builtin_memcpy(&where, &skein_frame.back, sizeof where);
#else
  auto initial_suspend(::skein::detail::place where = SKEIN_DETAIL_PLACE,
                       const char* name = __builtin_FUNCTION()) {
#endif
    skein_frame.back = reinterpret_cast<uintptr_t>(name);
    using T = decltype(some<P&>().initial_suspend());
    return ::skein::detail::traced_awaiter<traced, step::initial, T, false>(
        this, where, skein_inner(), from_initial{});
  }
  auto final_suspend() noexcept {
    if (skein_on()) ::skein::detail::ended(skein_frame);
    using T = decltype(some<P&>().final_suspend());
    return ::skein::detail::traced_awaiter<traced, step::final, T, false>(
        this, ::skein::detail::place{}, skein_inner(), from_final{});
  }
  void unhandled_exception() noexcept(noexcept(some<P&>().unhandled_exception())) {
    if (skein_frame.task.id != 0 && skein_on()) ::skein::detail::failed(skein_frame);
    skein_inner().unhandled_exception();
  }
  template <class A>
  decltype(auto) await_transform(A&& a, ::skein::detail::place where = SKEIN_DETAIL_PLACE) {
    using T = decltype(::skein::detail::awaitable_of(some<P&>(), some<A>()));
    if constexpr (::skein::detail::awaitable<T>)
      return ::skein::detail::traced_awaiter < traced, step::await, T,
             ::skein::detail::is_task_object<A> ||
                 ::skein::detail::is_task_object < T >>
                     (this, where, skein_inner(), static_cast<A&&>(a));
    else
      return ::skein::detail::awaitable_of(skein_inner(), static_cast<A&&>(a));
  }
  template <class X>
  auto skein_yield(typename unreferenced<X>::type& x) {
    return ::skein::detail::traced_awaiter<traced, step::yield, yield_result<P, X>, false>(
        this, ::skein::detail::place{}, skein_inner(), static_cast<X&&>(x), from_yield{});
  }

 private:
  P& skein_inner() noexcept {
    if constexpr (__is_final(P))
      return this->skein_promise;
    else
      return *this;
  }
};

// To be specialised for coroutines that are a library's plumbing and would only clutter the
// picture.
template <class R, class... A>
inline constexpr bool plumbing = false;

// P itself, untraced, where it cannot be held: moved by its alignment, or final with one
// yield_value that has no twin.
template <class P, class Twins>
struct promise_of {
  using type = P;
};
template <class P, class... X>
requires(!__is_final(P)) struct promise_of<P, types<X...>> {
  using type = traced<P, P, X...>;
};
template <class P, class... X>
requires(__is_final(P) && yields_one_way<P> &&
         sizeof...(X) == 1) struct promise_of<P, types<X...>> {
  using type = traced<P, typename boxed<P>::type, X...>;
};
template <class P, class... X>
requires(__is_final(P) && !yields_one_way<P>) struct promise_of<P, types<X...>> {
  using type = traced<P, typename boxed<P>::type, X..., anything>;
};
template <class P, class R, bool Plain>
struct promise_for {
  using type = P;
};
template <class P, class R>
requires(alignof(P) <= 2 * sizeof(void*)) struct promise_for<P, R, false> {
  using type = typename promise_of<P, decltype(::skein::detail::twins_of<P, R>())>::type;
};

}  // namespace skein::detail

namespace std {
// What a yield without a twin is suspended with. It says so when it becomes the handle that the
// promise's own awaiter knows, once or more.
template <class P, class... X>
struct coroutine_handle<::skein::detail::traced<P, P, X...>> {
  using promise_type = ::skein::detail::traced<P, P, X...>;
  using Untyped = coroutine_handle<typename ::skein::detail::choose<true, void, P>::type>;
  constexpr coroutine_handle() noexcept = default;
  constexpr coroutine_handle(decltype(nullptr)) noexcept {}
  static constexpr coroutine_handle from_address(void* address) noexcept {
    coroutine_handle handle;
    handle.address_ = address;
    return handle;
  }
  static coroutine_handle from_promise(promise_type& p) noexcept {
    return from_address(coroutine_handle<P>::from_promise(p).address());
  }
  constexpr void* address() const noexcept { return address_; }
  constexpr explicit operator bool() const noexcept { return address_ != nullptr; }
  bool done() const noexcept { return untold().done(); }
  void operator()() const { operator coroutine_handle<P>().resume(); }
  void resume() const { operator coroutine_handle<P>().resume(); }
  void destroy() const { untold().destroy(); }
  promise_type& promise() const { return static_cast<promise_type&>(untold().promise()); }
  operator coroutine_handle<P>() const noexcept {
    tell();
    return untold();
  }
  operator Untyped() const noexcept {
    tell();
    return untold();
  }

 private:
  coroutine_handle<P> untold() const noexcept {
    return coroutine_handle<P>::from_address(address_);
  }
  void tell() const noexcept {
    if (address_ != nullptr && skein_on()) ::skein::detail::suspended_untold(promise().skein_frame);
  }
  void* address_ = nullptr;
};

template <class R, class... A>
struct coroutine_traits {};
template <class R, class... A>
requires requires { typename skein_original_coroutine_traits<R, A...>::promise_type; }
struct coroutine_traits<R, A...> {
  using promise_type = typename ::skein::detail::promise_for<
      typename skein_original_coroutine_traits<R, A...>::promise_type, R,
      ::skein::detail::plumbing<R, A...>>::type;
};
}  // namespace std

// From here on specialisations and uses by libraries mean the original.
#define coroutine_traits skein_original_coroutine_traits
#endif
#endif
