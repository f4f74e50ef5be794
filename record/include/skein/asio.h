// Traces every operation and handler of Boost.Asio (from 1.74) and standalone Asio (from 1.22)
// without a change to the source: <boost/asio/detail/handler_tracking.hpp> includes this header if
// BOOST_ASIO_CUSTOM_HANDLER_TRACKING names it, and standalone Asio has the same hook. The target
// skein::asio defines the macros (skein/asio_tracking.h) and adds skein/coroutine.h.
//
// Asio's hooks record:
//
//   creation           an operation of kind timer, io or handler, by the type of the object, named
//                      for example "socket.async_receive". If a coroutine was suspended just
//                      before, the operation is its child and the target of its wait; else it is a
//                      child of the current task. Location: the program's HANDLER_LOCATION, else
//                      that of the co_await, else the callback, by its type (the function that it
//                      is written in; of clang its file and line), else that of Asio's composed
//                      operation. With it, the object that it uses (a timer, with its expiry, a
//                      socket, a signal set, a resolver), which becomes a resource at its first use
//   operation          the current task cancels the operations that use an object, or closes it.
//                      Asio's timers skip this hook if no operation has waited since the last
//                      cancel; see SKEIN_DETAIL_WATCH_TIMERS
//   invocation begin   the operation is current, with the bytes it moved
//   invocation end     it resolves, or fails with the error code's message
//   never invoked      it is cancelled (the context was destroyed)
//   the handler threw  it fails
//
// Asio's types keep their layout, so sources built with and without this header may be linked
// together: the recorder keeps the task of an operation under its address (skein_handle_keep). Asio
// moves a handler out of its operation and frees the operation before it invokes the handler; the
// completion object on the stack takes the task over. Of an operation that is created or completed
// by a source without this header, only the part with it is recorded: none, or a task that ends
// when another operation is created at its address.
//
// Asio's own handler tracking, BOOST_ASIO_ENABLE_HANDLER_TRACKING, works as well (and changes the
// layout, as it does without skein).
//
// Asio has no hook for a thread that goes to sleep in the reactor. None is needed: a thread without
// a current task is in its event loop (docs/recording.md). The hooks for single system calls are
// not used, because the end of the operation contains their result.
#ifndef SKEIN_ASIO_H
#define SKEIN_ASIO_H
#pragma GCC system_header  // its warnings are not the user's
#include <skein/skein.h>

namespace skein::detail::asio_hooks {

// Maps "socket" and "async_receive" to "socket.async_receive". The key is the addresses of the two
// literals; the table lives as long as their module.
struct joined_name {
  const char* object;
  const char* operation;
  uint32_t state;  // 0 free, 1 being written, 2 complete
  char text[52];
};
inline constexpr unsigned kNames = 256;
// Hidden: g++ would make it a "unique" symbol, which prevents its module from being unloaded.
__attribute__((visibility("hidden"))) inline constinit joined_name names[kNames] = {};

inline void append(char*& to, const char* end, const char* text) {
  while (to < end && *text != 0) *to++ = *text++;
}

[[gnu::noinline, gnu::visibility("hidden")]] inline const char* join(const char* object,
                                                                     const char* operation) {
  SKEIN_DETAIL_REPORT_UNLOAD();  // the recorder identifies strings by address
  const uint64_t mixed =
      reinterpret_cast<uintptr_t>(object) * 31 + reinterpret_cast<uintptr_t>(operation);
  unsigned slot = static_cast<unsigned>((mixed * 0x9E3779B97F4A7C15ull) >> 56);
  for (unsigned tried = 0; tried < kNames; ++tried, slot = (slot + 1) % kNames) {
    joined_name& name = names[slot];
    uint32_t state = __atomic_load_n(&name.state, __ATOMIC_ACQUIRE);
    if (state == 0) {
      if (!__atomic_compare_exchange_n(&name.state, &state, 1, false, __ATOMIC_ACQUIRE,
                                       __ATOMIC_ACQUIRE)) {
        if (state != 2) continue;  // another thread writes it: a name may be entered twice
      } else {
        char* to = name.text;
        const char* end = name.text + sizeof name.text - 1;
        append(to, end, object);
        append(to, end, ".");
        append(to, end, operation);
        *to = 0;
        name.object = object;
        name.operation = operation;
        __atomic_store_n(&name.state, 2, __ATOMIC_RELEASE);
        return name.text;
      }
    }
    if (state == 2 && name.object == object && name.operation == operation) return name.text;
  }
  return operation;  // the table is full; Asio has fewer names
}

inline uint32_t kind_of(const char* object) {
  switch (object[0]) {
    case 'd':  // deadline_timer, descriptor
      return object[2] == 'a' ? SKEIN_KIND_timer : SKEIN_KIND_io;
    case 's':  // socket, serial_port, signal_set; strand, system_executor
      return object[1] == 't' || object[1] == 'y' ? SKEIN_KIND_handler : SKEIN_KIND_io;
    case 'i':  // io_context
    case 't':  // thread_pool
      return SKEIN_KIND_handler;
    default:  // resolver, handle, file ...
      return SKEIN_KIND_io;
  }
}

// The location from which the program initiated an operation, if HANDLER_LOCATION states it: the
// outermost one on this thread.
struct location;
__attribute__((visibility("hidden"))) inline thread_local constinit const skein_source* outermost =
    nullptr;
struct location {
  skein_source where{};
  bool is_outermost = false;

  location() = default;
  location(const location&) = delete;
  [[gnu::noinline, gnu::visibility("hidden")]] void set(const char* file, int line,
                                                        const char* function) {
    where = {file, function, static_cast<uint32_t>(line), 0};
    is_outermost = file != nullptr && outermost == nullptr;
    if (is_outermost) outermost = &where;
  }
  ~location() {
    if (is_outermost) leave();
  }

 private:
  [[gnu::noinline, gnu::visibility("hidden")]] static void leave() { outermost = nullptr; }
};

// True if the file is part of Asio's composed operations: the line of the co_await is more useful
// than a line of Asio's. The result is cached for each file name; there are few.
[[gnu::visibility("hidden")]] inline bool of_asio(const char* file) {
  static constinit struct {
    uint64_t files[64];  // address of the name * 2, + 1 if it is Asio's
  } known = {};
  const auto address = static_cast<uint64_t>(reinterpret_cast<uintptr_t>(file)) * 2;
  uint64_t& entry = known.files[(address * 0x9E3779B97F4A7C15ull) >> 58];
  uint64_t found = __atomic_load_n(&entry, __ATOMIC_RELAXED);
  if ((found | 1) != (address | 1)) {
    found = address | (__builtin_strstr(file, "/asio/impl/") != nullptr ||
                       __builtin_strstr(file, "/asio/ssl/") != nullptr);
    __atomic_store_n(&entry, found, __ATOMIC_RELAXED);
  }
  return (found & 1) != 0;
}

// Identifies the type of an operation by the function that completes it. The linker keeps one such
// function of each type: either it takes the handles of all operations of its type, or of none.
template <class Operation>
inline const void* type_of() {
  if constexpr (requires { &Operation::do_complete; })
    return reinterpret_cast<const void*>(&Operation::do_complete);
  else
    return nullptr;
}

// Names the type of an operation. The recorder finds the type of the callback in it.
template <class Operation>
[[gnu::visibility("hidden")]] inline const char* text_of() {
  return __PRETTY_FUNCTION__;
}

[[gnu::noinline, gnu::visibility("hidden")]] inline void created(const void* object_at,
                                                                 const void* type, const char* text,
                                                                 const char* object,
                                                                 const char* operation,
                                                                 skein_use use) {
  skein_task* task = skein_handle_keep(object_at, type);
  if (task == nullptr) return;
  const skein_source* stated = outermost;
  const bool by_asio = stated != nullptr && ::skein::detail::asio_hooks::of_asio(stated->file);
  const skein_source callback = {by_asio ? stated->file : nullptr, text, by_asio ? stated->line : 0,
                                 SKEIN_COLUMN_CALLBACK};
  skein_operation_on(task, kind_of(object), ::skein::detail::asio_hooks::join(object, operation),
                     by_asio ? nullptr : stated, &callback, use);
}

// ---- objects that operations use ----

// The kind of an object, by the name that Asio gives to its type; 0: not recorded (executors).
inline uint32_t kind_of_object(const char* object) {
  switch (object[0]) {
    case 'd':
      return object[2] == 'a' ? SKEIN_KIND_alarm : SKEIN_KIND_descriptor;
    case 'r':
      return SKEIN_KIND_resolver;
    case 's':  // socket, serial_port, signal_set; strand, system_executor
      return object[1] == 'o'   ? SKEIN_KIND_socket
             : object[1] == 'e' ? SKEIN_KIND_descriptor
             : object[1] == 'i' ? SKEIN_KIND_signals
                                : SKEIN_KIND_unknown;
    default:
      return SKEIN_KIND_unknown;
  }
}
// A socket may move; its descriptor stays.
inline uintptr_t key_of_object(uint32_t kind, const void* object, unsigned long descriptor) {
  return kind == SKEIN_KIND_socket || kind == SKEIN_KIND_descriptor
             ? static_cast<uintptr_t>(descriptor) + 1
             : reinterpret_cast<uintptr_t>(object);
}

// When a timer expires: CLOCK_MONOTONIC in ns, SKEIN_NEVER, or 0: unknown (a timer of another
// clock, or none).
template <class Timer>
inline uint64_t expiry_of(const Timer* timer) {
  if constexpr (requires { timer->expiry.time_since_epoch().count(); }) {
    using Time = decltype(timer->expiry);
    using Clock = typename Time::clock;
    if (timer->expiry == Time::max()) return SKEIN_NEVER;
    if constexpr (Clock::is_steady) {
      const auto count = timer->expiry.time_since_epoch().count();
      using Period = typename Time::period;
      if constexpr (Period::num == 1 && Period::den == 1'000'000'000)
        return count > 0 ? static_cast<uint64_t>(count) : 1;
    }
  } else if constexpr (requires { timer->expiry.is_pos_infinity(); }) {
    if (timer->expiry.is_pos_infinity()) return SKEIN_NEVER;
  }
  return 0;
}

template <class Context, class Operation, class Object>
inline void creation(Context&, const Operation& at, const char* object, Object* on,
                     unsigned long descriptor, const char* operation) {
  if (!skein_enabled()) return;
  const uint32_t kind = ::skein::detail::asio_hooks::kind_of_object(object);
  skein_use use = {};
  if (kind != SKEIN_KIND_unknown) {
    use.object = skein_object(::skein::detail::asio_hooks::key_of_object(kind, on, descriptor),
                              kind, object);
    if constexpr (requires { on->expiry; })
      use.expires = ::skein::detail::asio_hooks::expiry_of(on);
  }
  ::skein::detail::asio_hooks::created(
      __builtin_addressof(at), ::skein::detail::asio_hooks::type_of<Operation>(),
      ::skein::detail::asio_hooks::text_of<Operation>(), object, operation, use);
}

// The current task cancels the operations of an object, or closes it.
template <class Context, class Object>
inline void operation(Context&, const char* object, Object* on, unsigned long descriptor,
                      const char* operation) {
  if (!skein_enabled()) return;
  const uint32_t kind = ::skein::detail::asio_hooks::kind_of_object(object);
  if (kind == SKEIN_KIND_unknown) return;
  const uintptr_t key = ::skein::detail::asio_hooks::key_of_object(kind, on, descriptor);
  uint64_t expires = 0;
  if constexpr (requires { on->expiry; }) expires = ::skein::detail::asio_hooks::expiry_of(on);
  if (operation[0] == 'c' && operation[1] == 'l')  // close
    skein_object_end(key);
  else
    skein_object_cancel(key, kind, object, expires);
}

// Asio's flag `might_have_pending_waits` of a timer, as deadline_timer_service uses it.
template <class Timer>
class timer_flag {
 public:
  timer_flag(Timer& timer, bool& flag) : timer_(timer), flag_(flag) {}
  operator bool() const { return flag_; }
  // Only cancel() and cancel_one() negate the flag. If it is false they return, without a hook.
  bool operator!() const {
    if (!flag_ && skein_enabled() && ::skein::detail::asio_hooks::expiry_of(&timer_) == SKEIN_NEVER)
      skein_object_cancel(reinterpret_cast<uintptr_t>(&timer_), SKEIN_KIND_alarm, "deadline_timer",
                          SKEIN_NEVER);
    return !flag_;
  }
  // A timer without an expiry is new, or was moved.
  timer_flag& operator=(bool value) {
    flag_ = value;
    if (skein_handles_kept() && timer_.expiry == decltype(timer_.expiry)())
      skein_object_end(reinterpret_cast<uintptr_t>(&timer_));
    return *this;
  }
  timer_flag& operator=(const timer_flag& other) {
    flag_ = other.flag_;
    return *this;
  }

 private:
  Timer& timer_;
  bool& flag_;
};
template <class Timer>
inline timer_flag<Timer> flag_of(Timer& timer, bool& flag) {
  return {timer, flag};
}

class completion {
 public:
  template <class Operation>
  explicit completion(const Operation& at) {
    if (skein_handles_kept())
      task_ = skein_handle_take(__builtin_addressof(at),
                                ::skein::detail::asio_hooks::type_of<Operation>());
    reason_[0] = 0;
  }
  completion(const completion&) = delete;
  ~completion() {
    if (task_.id == 0 || !skein_enabled()) return;
    if (invoked_)
      skein_fail(&task_, "the handler threw", previous_);
    else
      skein_cancel(&task_);
  }

  void invocation_begin() {
    invoked_ = true;
    if (task_.id != 0 && skein_enabled()) previous_ = skein_resume(&task_);
  }
  template <class Error, class... Results>
  void invocation_begin(const Error& error, const Results&... results) {
    invoked_ = true;
    if (task_.id == 0 || !skein_enabled()) return;
    if constexpr ((__is_same(Results, unsigned long) || ...))
      previous_ = skein_resume_io(&task_, (bytes(results) + ...));
    else
      previous_ = skein_resume(&task_);
    if constexpr (requires {
                    error.message().c_str();
                    static_cast<bool>(error);
                  }) {
      if (error) ::skein::detail::asio_hooks::completion::keep(reason_, error.message().c_str());
    }
  }
  void invocation_end() {
    if (task_.id != 0 && skein_enabled()) {
      if (reason_[0] != 0)
        skein_fail(&task_, reason_, previous_);
      else
        skein_resolve(&task_, previous_);
    }
    task_.id = 0;
  }

 private:
  // The bytes moved: the only result of type unsigned long. Other results count as 0.
  template <class T>
  static uint64_t bytes(const T& result) {
    if constexpr (__is_same(T, unsigned long))
      return result;
    else
      return 0;
  }
  template <unsigned long N>
  [[gnu::noinline, gnu::cold]] static void keep(char (&to)[N], const char* text) {
    char* at = to;
    append(at, to + N - 1, text);
    *at = 0;
  }

  skein_task task_{};
  uint64_t previous_ = 0;
  bool invoked_ = false;
  char reason_[63];  // the error code's message, truncated
};

}  // namespace skein::detail::asio_hooks

#endif

// Asio's hooks. Outside the include guard: each of the two libraries includes this header.
//
// This header is being read by Asio's handler_tracking.hpp. First that file is read once more as if
// there were no custom tracking: it defines all hooks, empty or for its built-in tracking. Then
// six of them are replaced by ours, which include the built-in ones (SKEIN_DETAIL_.._OWN). Finally
// the outer handler_tracking.hpp, which sees a custom tracking, defines ENABLE_HANDLER_TRACKING,
// with which use_awaitable_t has three more members. The first class with a hook, Asio's base of
// all operations, undefines it again: all versions define it before use_awaitable_t. If the program
// defines it, that class undefines the custom tracking instead, with which Asio's separately
// compiled part would lack the built-in tracking.
//
// HANDLER_LOCATION is therefore used with members of use_awaitable_t that do not exist, in
// templates.
//
// A program may use a timer that never expires as a condition, which cancel() signals. If no
// operation waits, cancel() returns early, before any hook:
//
//     if (!impl.might_have_pending_waits) { ...; return 0; }
//
// That flag is the only name in the way. Its first occurrence declares it in a struct: it gets a
// member function beside it that returns a timer_flag, and pops the macro. All other occurrences
// then call this function. If the second library is included before the first one has read its
// deadline_timer_service.hpp, no timer is watched. The layout stays the same.
#define SKEIN_DETAIL_WATCH_TIMERS                                                 \
  might_have_pending_waits;                                                       \
  auto skein_flag() {                                                             \
    return ::skein::detail::asio_hooks::flag_of(*this, might_have_pending_waits); \
  }                                                                               \
  _Pragma("pop_macro(\"might_have_pending_waits\")") static_assert(true, "")
#if defined(BOOST_ASIO_CUSTOM_HANDLER_TRACKING) && \
    defined(BOOST_ASIO_DETAIL_HANDLER_TRACKING_HPP) && !defined(SKEIN_DETAIL_BOOST_ASIO_OWN)
#pragma push_macro("BOOST_ASIO_CUSTOM_HANDLER_TRACKING")
#undef BOOST_ASIO_CUSTOM_HANDLER_TRACKING
#undef BOOST_ASIO_DETAIL_HANDLER_TRACKING_HPP
#include <boost/asio/detail/handler_tracking.hpp>
#undef BOOST_ASIO_INHERIT_TRACKED_HANDLER
#ifdef BOOST_ASIO_ENABLE_HANDLER_TRACKING
#pragma push_macro("BOOST_ASIO_CUSTOM_HANDLER_TRACKING")
#define BOOST_ASIO_CUSTOM_HANDLER_TRACKING
#define BOOST_ASIO_INHERIT_TRACKED_HANDLER                     \
  _Pragma("pop_macro(\"BOOST_ASIO_CUSTOM_HANDLER_TRACKING\")") \
      : public ::boost::asio::detail::handler_tracking::tracked_handler
#define SKEIN_DETAIL_BOOST_ASIO_OWN(...) __VA_ARGS__
#else
#pragma pop_macro("BOOST_ASIO_CUSTOM_HANDLER_TRACKING")
#pragma push_macro("BOOST_ASIO_ENABLE_HANDLER_TRACKING")
#define BOOST_ASIO_INHERIT_TRACKED_HANDLER \
  _Pragma("pop_macro(\"BOOST_ASIO_ENABLE_HANDLER_TRACKING\")")
#define SKEIN_DETAIL_BOOST_ASIO_OWN(...)
#endif
#undef BOOST_ASIO_HANDLER_LOCATION
#undef BOOST_ASIO_HANDLER_CREATION
#undef BOOST_ASIO_HANDLER_OPERATION
#undef BOOST_ASIO_HANDLER_COMPLETION
#undef BOOST_ASIO_HANDLER_INVOCATION_BEGIN
#undef BOOST_ASIO_HANDLER_INVOCATION_END
#define BOOST_ASIO_HANDLER_LOCATION(args)                                       \
  SKEIN_DETAIL_BOOST_ASIO_OWN(                                                  \
      ::boost::asio::detail::handler_tracking::location tracked_location args;) \
  ::skein::detail::asio_hooks::location skein_location;                         \
  if constexpr (requires { skein_location.set args; }) skein_location.set args
#define BOOST_ASIO_HANDLER_CREATION(args)                                        \
  (SKEIN_DETAIL_BOOST_ASIO_OWN(::boost::asio::detail::handler_tracking::creation \
                                   args, )::skein::detail::asio_hooks::creation args)
#define BOOST_ASIO_HANDLER_OPERATION(args)                                        \
  (SKEIN_DETAIL_BOOST_ASIO_OWN(::boost::asio::detail::handler_tracking::operation \
                                   args, )::skein::detail::asio_hooks::operation args)
#define BOOST_ASIO_HANDLER_COMPLETION(args)                                         \
  SKEIN_DETAIL_BOOST_ASIO_OWN(                                                      \
      ::boost::asio::detail::handler_tracking::completion tracked_completion args;) \
  ::skein::detail::asio_hooks::completion skein_completion args
#define BOOST_ASIO_HANDLER_INVOCATION_BEGIN(args)                          \
  (SKEIN_DETAIL_BOOST_ASIO_OWN(tracked_completion.invocation_begin args, ) \
       skein_completion.invocation_begin args)
#define BOOST_ASIO_HANDLER_INVOCATION_END                             \
  (SKEIN_DETAIL_BOOST_ASIO_OWN(tracked_completion.invocation_end(), ) \
       skein_completion.invocation_end())
#undef might_have_pending_waits
#include <boost/asio/version.hpp>
#if BOOST_ASIO_VERSION < 103700 && (!defined(ASIO_DETAIL_HANDLER_TRACKING_HPP) || \
                                    defined(ASIO_DETAIL_DEADLINE_TIMER_SERVICE_HPP))
#define might_have_pending_waits skein_flag()
#pragma push_macro("might_have_pending_waits")
#undef might_have_pending_waits
#define might_have_pending_waits SKEIN_DETAIL_WATCH_TIMERS
#endif
#endif

#if defined(ASIO_CUSTOM_HANDLER_TRACKING) && defined(ASIO_DETAIL_HANDLER_TRACKING_HPP) && \
    !defined(SKEIN_DETAIL_ASIO_OWN)
#pragma push_macro("ASIO_CUSTOM_HANDLER_TRACKING")
#undef ASIO_CUSTOM_HANDLER_TRACKING
#undef ASIO_DETAIL_HANDLER_TRACKING_HPP
#include <asio/detail/handler_tracking.hpp>
#undef ASIO_INHERIT_TRACKED_HANDLER
#ifdef ASIO_ENABLE_HANDLER_TRACKING
#pragma push_macro("ASIO_CUSTOM_HANDLER_TRACKING")
#define ASIO_CUSTOM_HANDLER_TRACKING
#define ASIO_INHERIT_TRACKED_HANDLER                     \
  _Pragma("pop_macro(\"ASIO_CUSTOM_HANDLER_TRACKING\")") \
      : public ::asio::detail::handler_tracking::tracked_handler
#define SKEIN_DETAIL_ASIO_OWN(...) __VA_ARGS__
#else
#pragma pop_macro("ASIO_CUSTOM_HANDLER_TRACKING")
#pragma push_macro("ASIO_ENABLE_HANDLER_TRACKING")
#define ASIO_INHERIT_TRACKED_HANDLER _Pragma("pop_macro(\"ASIO_ENABLE_HANDLER_TRACKING\")")
#define SKEIN_DETAIL_ASIO_OWN(...)
#endif
#undef ASIO_HANDLER_LOCATION
#undef ASIO_HANDLER_CREATION
#undef ASIO_HANDLER_OPERATION
#undef ASIO_HANDLER_COMPLETION
#undef ASIO_HANDLER_INVOCATION_BEGIN
#undef ASIO_HANDLER_INVOCATION_END
#define ASIO_HANDLER_LOCATION(args)                                                        \
  SKEIN_DETAIL_ASIO_OWN(::asio::detail::handler_tracking::location tracked_location args;) \
  ::skein::detail::asio_hooks::location skein_location;                                    \
  if constexpr (requires { skein_location.set args; }) skein_location.set args
#define ASIO_HANDLER_CREATION(args)                                 \
  (SKEIN_DETAIL_ASIO_OWN(::asio::detail::handler_tracking::creation \
                             args, )::skein::detail::asio_hooks::creation args)
#define ASIO_HANDLER_OPERATION(args)                                 \
  (SKEIN_DETAIL_ASIO_OWN(::asio::detail::handler_tracking::operation \
                             args, )::skein::detail::asio_hooks::operation args)
#define ASIO_HANDLER_COMPLETION(args)                                                          \
  SKEIN_DETAIL_ASIO_OWN(::asio::detail::handler_tracking::completion tracked_completion args;) \
  ::skein::detail::asio_hooks::completion skein_completion args
#define ASIO_HANDLER_INVOCATION_BEGIN(args)                          \
  (SKEIN_DETAIL_ASIO_OWN(tracked_completion.invocation_begin args, ) \
       skein_completion.invocation_begin args)
#define ASIO_HANDLER_INVOCATION_END \
  (SKEIN_DETAIL_ASIO_OWN(tracked_completion.invocation_end(), ) skein_completion.invocation_end())
#undef might_have_pending_waits
#include <asio/version.hpp>
#if ASIO_VERSION < 103700 && (!defined(BOOST_ASIO_DETAIL_HANDLER_TRACKING_HPP) || \
                              defined(BOOST_ASIO_DETAIL_DEADLINE_TIMER_SERVICE_HPP))
#define might_have_pending_waits skein_flag()
#pragma push_macro("might_have_pending_waits")
#undef might_have_pending_waits
#define might_have_pending_waits SKEIN_DETAIL_WATCH_TIMERS
#endif
#endif

// Two kinds of Asio's own coroutines are not traced. With use_awaitable each operation has one that
// is destroyed and never ends: the operation itself contains the same events. co_spawn starts one
// that only awaits the program's. The specialisations are declared only for the library that is
// being included, because the other name may belong to the program.
#ifdef SKEIN_DETAIL_PLACE
#define SKEIN_DETAIL_PLUMBING(ns)                                                                 \
  namespace ns {                                                                                  \
  template <typename, typename>                                                                   \
  class awaitable;                                                                                \
  template <typename>                                                                             \
  struct use_awaitable_t;                                                                         \
  namespace detail {                                                                              \
  struct awaitable_thread_entry_point;                                                            \
  }                                                                                               \
  }                                                                                               \
  template <class T, class E, class Initiation, class E2, class... A>                             \
  inline constexpr bool                                                                           \
      skein::detail::plumbing<ns::awaitable<T, E>, Initiation, ns::use_awaitable_t<E2>, A...> =   \
          true;                                                                                   \
  template <class E, class... A>                                                                  \
  inline constexpr bool                                                                           \
      skein::detail::plumbing<ns::awaitable<ns::detail::awaitable_thread_entry_point, E>, A...> = \
          true;                                                                                   \
  template <class E, class T, class F, class H> /* before Asio 1.18 */                            \
  inline constexpr bool                                                                           \
      skein::detail::plumbing<ns::awaitable<void, E>, ns::awaitable<T, E>*, E, F, H> = true;
#if defined(BOOST_ASIO_DETAIL_HANDLER_TRACKING_HPP) && !defined(SKEIN_DETAIL_BOOST_ASIO)
#define SKEIN_DETAIL_BOOST_ASIO
SKEIN_DETAIL_PLUMBING(boost::asio)
#endif
#if defined(ASIO_DETAIL_HANDLER_TRACKING_HPP) && !defined(SKEIN_DETAIL_STANDALONE_ASIO)
#define SKEIN_DETAIL_STANDALONE_ASIO
SKEIN_DETAIL_PLUMBING(asio)
#endif
#undef SKEIN_DETAIL_PLUMBING
#endif
