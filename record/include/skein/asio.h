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
//                      socket, a signal set, a resolver), which becomes a resource at its first
//                      use. The addresses of a socket, when it has them, and the bytes that its
//                      operations move
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
#include <skein/coroutine/plumbing.h>
#include <skein/skein.h>

namespace skein::__detail::__asio_hooks {

// Maps "socket" and "async_receive" to "socket.async_receive". The key is the addresses of the two
// literals; the table lives as long as their module.
struct __joined_name {
  const char* __object;
  const char* __operation;
  uint32_t __state;  // 0 free, 1 being written, 2 complete
  char __text[52];
};
inline constexpr unsigned _KNames = 256;
// Hidden: g++ would make it a "unique" symbol, which prevents its module from being unloaded.
__attribute__((__visibility__("hidden"))) inline constinit __joined_name __names[_KNames] = {};

inline void __append(char*& __to, const char* __end, const char* __text) {
  while (__to < __end && *__text != 0) *__to++ = *__text++;
}

[[__gnu__::__noinline__, __gnu__::__visibility__("hidden")]]
#if defined(__clang__)
__attribute__((__no_sanitize__("unsigned-integer-overflow")))
#endif
inline const char* __join(
    const char* __object, const char* __operation) {
  SKEIN_DETAIL_REPORT_UNLOAD();  // the recorder identifies strings by address
  const uint64_t __mixed =
      reinterpret_cast<uintptr_t>(__object) * 31 + reinterpret_cast<uintptr_t>(__operation);
  unsigned __slot = static_cast<unsigned>((__mixed * 0x9E3779B97F4A7C15ull) >> 56);
  for (unsigned __tried = 0; __tried < _KNames; ++__tried, __slot = (__slot + 1) % _KNames) {
    __joined_name& __name = __names[__slot];
    uint32_t __state = __atomic_load_n(&__name.__state, __ATOMIC_ACQUIRE);
    if (__state == 0) {
      if (!__atomic_compare_exchange_n(&__name.__state, &__state, 1, false, __ATOMIC_ACQUIRE,
                                       __ATOMIC_ACQUIRE)) {
        if (__state != 2) continue;  // another thread writes it: a name may be entered twice
      } else {
        char* __to = __name.__text;
        const char* __end = __name.__text + sizeof __name.__text - 1;
        __append(__to, __end, __object);
        __append(__to, __end, ".");
        // "execute" of Asio's "execute(blk=never,rel=fork)"
        for (const char* __at = __operation; __to < __end && *__at != 0 && *__at != '(';)
          *__to++ = *__at++;
        *__to = 0;
        __name.__object = __object;
        __name.__operation = __operation;
        __atomic_store_n(&__name.__state, 2, __ATOMIC_RELEASE);
        return __name.__text;
      }
    }
    if (__state == 2 && __name.__object == __object && __name.__operation == __operation)
      return __name.__text;
  }
  return __operation;  // the table is full; Asio has fewer names
}

inline uint32_t __kind_of(const char* __object) {
  switch (__object[0]) {
    case 'd':  // deadline_timer, descriptor
      return __object[2] == 'a' ? SKEIN_KIND_timer : SKEIN_KIND_io;
    case 's':  // socket, serial_port, signal_set; strand, system_executor
      return __object[1] == 't' || __object[1] == 'y' ? SKEIN_KIND_handler : SKEIN_KIND_io;
    case 'i':  // io_context
    case 't':  // thread_pool
      return SKEIN_KIND_handler;
    default:  // resolver, handle, file ...
      return SKEIN_KIND_io;
  }
}

// The location from which the program initiated an operation, if HANDLER_LOCATION states it: the
// outermost one on this thread. File: null if there is none.
__attribute__((
    __visibility__("hidden"))) inline thread_local constinit skein_source __outermost = {};
struct __location {
  bool __is_outermost = false;

  __location() = default;
  __location(const __location&) = delete;
  [[__gnu__::__noinline__, __gnu__::__visibility__("hidden")]] void __set(const char* __file,
                                                                          int __line,
                                                                          const char* __function) {
    // In a coroutine this object is not on the stack, and may end on another thread.
    constexpr uintptr_t __largest_frame = 1 << 16;
    const auto __stack = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
    if (reinterpret_cast<uintptr_t>(this) - __stack >= __largest_frame) return;
    __is_outermost = __file != nullptr && __outermost.file == nullptr;
    if (__is_outermost) __outermost = {__file, __function, static_cast<uint32_t>(__line), 0};
  }
  ~__location() {
    if (__is_outermost) __leave();
  }

 private:
  [[__gnu__::__noinline__, __gnu__::__visibility__("hidden")]] static void __leave() {
    __outermost.file = nullptr;
  }
};

// True if the file is part of Asio's composed operations: the line of the co_await is more useful
// than a line of Asio's. The result is cached for each file name; there are few.
[[__gnu__::__visibility__("hidden")]] inline bool __of_asio(const char* __file) {
  static constinit struct {
    uint64_t __files[64];  // address of the name * 2, + 1 if it is Asio's
  } __known = {};
  const auto address = static_cast<uint64_t>(reinterpret_cast<uintptr_t>(__file)) * 2;
  uint64_t& __entry = __known.__files[(address * 0x9E3779B97F4A7C15ull) >> 58];
  uint64_t __found = __atomic_load_n(&__entry, __ATOMIC_RELAXED);
  if ((__found | 1) != (address | 1)) {
    __found = address | (__builtin_strstr(__file, "/asio/impl/") != nullptr ||
                         __builtin_strstr(__file, "/asio/ssl/") != nullptr);
    __atomic_store_n(&__entry, __found, __ATOMIC_RELAXED);
  }
  return (__found & 1) != 0;
}

// Identifies the type of an operation by the function that completes it. The linker keeps one such
// function of each type: either it takes the handles of all operations of its type, or of none.
template <class _Operation>
inline const void* __type_of() {
  if constexpr (requires { &_Operation::do_complete; })
    return reinterpret_cast<const void*>(&_Operation::do_complete);
  else
    return nullptr;
}

// Names the type of an operation. The recorder finds the type of the callback in it.
template <class _Operation>
[[__gnu__::__visibility__("hidden")]] inline const char* __text_of() {
  return __PRETTY_FUNCTION__;
}

[[__gnu__::__noinline__, __gnu__::__visibility__("hidden")]] inline skein_task* __created(
    const void* __object_at, const void* __type, const char* __text, const char* __object,
    const char* __operation, skein_use __use) {
  skein_task* __task = skein_handle_keep(__object_at, __type);
  if (__task == nullptr) return nullptr;
  const skein_source* __stated = __outermost.file != nullptr ? &__outermost : nullptr;
  const bool __by_asio =
      __stated != nullptr && ::skein::__detail::__asio_hooks::__of_asio(__stated->file);
  const skein_source __callback = {__by_asio ? __stated->file : nullptr, __text,
                                   __by_asio ? __stated->line : 0, SKEIN_COLUMN_CALLBACK};
  skein_operation_on(__task, __kind_of(__object),
                     ::skein::__detail::__asio_hooks::__join(__object, __operation),
                     __by_asio ? nullptr : __stated, &__callback, __use);
  return __task;
}

// ---- objects that operations use ----

// The kind of an object, by the name that Asio gives to its type; 0: not recorded (executors).
inline uint32_t __kind_of_object(const char* __object) {
  switch (__object[0]) {
    case 'd':
      return __object[2] == 'a' ? SKEIN_KIND_alarm : SKEIN_KIND_descriptor;
    case 'r':
      return SKEIN_KIND_resolver;
    case 'c':
      return SKEIN_KIND_async_channel;
    case 's':  // socket, serial_port, signal_set; strand, system_executor
      return __object[1] == 'o'   ? SKEIN_KIND_socket
             : __object[1] == 'e' ? SKEIN_KIND_descriptor
             : __object[1] == 'i' ? SKEIN_KIND_signals
             : __object[1] == 't' ? SKEIN_KIND_strand
                                  : SKEIN_KIND_unknown;
    default:
      return SKEIN_KIND_unknown;
  }
}
// A socket may move; its descriptor stays. The end of a strand or a channel is not reported, and
// later its address may be that of a timer.
inline uintptr_t __key_of_object(uint32_t __kind, const void* __object,
                                 unsigned long __descriptor) {
  if (__kind == SKEIN_KIND_socket || __kind == SKEIN_KIND_descriptor)
    return static_cast<uintptr_t>(__descriptor) + 1;
  const auto __address = reinterpret_cast<uintptr_t>(__object);
  return __kind == SKEIN_KIND_strand || __kind == SKEIN_KIND_async_channel ? __address + 1
                                                                           : __address;
}

// When a timer expires: CLOCK_MONOTONIC in __ns, SKEIN_NEVER, or 0: unknown (a timer of another
// clock, or none).
template <class _Timer>
inline uint64_t __expiry_of(const _Timer* __timer) {
  if constexpr (requires { __timer->expiry.time_since_epoch().count(); }) {
    using _Time = decltype(__timer->expiry);
    using _Clock = typename _Time::clock;
    if (__timer->expiry == _Time::max()) return SKEIN_NEVER;
    if constexpr (_Clock::is_steady) {
      const auto count = __timer->expiry.time_since_epoch().count();
      using _Period = typename _Time::period;
      if constexpr (_Period::num == 1 && _Period::den == 1'000'000'000)
        return count > 0 ? static_cast<uint64_t>(count) : 1;
    }
  } else if constexpr (requires { __timer->expiry.is_pos_infinity(); }) {
    if (__timer->expiry.is_pos_infinity()) return SKEIN_NEVER;
  }
  return 0;
}

// ---- what only private members of Asio state ----
//
// The signals of a set, and the name that a resolver looks up. They are read where they are in the
// versions that were looked at, 1.18.0 (Boost 1.74) to 1.26 (Boost 1.81); in others they are not.

// The signals of a set, as a mask. Asio links its registrations.
template <class _Set>
inline uint64_t __signals_of(const _Set* __set) {
  struct __registration {
    int __number;
    void* __others[4];
    const __registration* __next;
  };
  struct __layout {
    void* __queue[2];
    const __registration* __first;
  };
  uint64_t __mask = 0;
  if constexpr (sizeof(_Set) == sizeof(__layout)) {
    __layout __copy;
    __builtin_memcpy(&__copy, __set, sizeof __copy);
    for (const __registration* __at = __copy.__first; __at != nullptr;) {
      __registration __one;
      __builtin_memcpy(&__one, __at, sizeof __one);
      if (__one.__number > 0 && __one.__number <= 64) __mask |= uint64_t{1} << (__one.__number - 1);
      __at = __one.__next;
    }
  }
  return __mask;
}

// The operation of a resolver begins with a base class, a std::weak_ptr<void>, and the query:
// hints, host and service. (Query::host_name() returns a copy.)
template <class _Operation>
struct __lookup;  // specialised below: the base class and the query
template <class _Context>
inline constexpr bool __knows_members = false;  // specialised for known versions

template <class _Tp>
const _Tp& __constant() noexcept;  // declared only

template <class _Operation>
inline void __label_lookup(skein_task* __task, const _Operation& __at) {
  using _Query = typename __lookup<_Operation>::__query;
  using _String = decltype(__constant<_Query>().host_name());
  const char* __member = reinterpret_cast<const char*>(__builtin_addressof(__at)) +
                         sizeof(typename __lookup<_Operation>::__base) + 2 * sizeof(void*) +
                         sizeof(__constant<_Query>().hints());
  const auto* __strings = reinterpret_cast<const _String*>(__member);
  char __text[128];
  char* __to = __text;
  const char* __end = __text + sizeof __text;
  ::skein::__detail::__asio_hooks::__append(__to, __end, "resolver: ");
  ::skein::__detail::__asio_hooks::__append(__to, __end, __strings[0].c_str());
  ::skein::__detail::__asio_hooks::__append(__to, __end, ":");
  ::skein::__detail::__asio_hooks::__append(__to, __end, __strings[1].c_str());
  skein_label_text(__task, __text, static_cast<unsigned long>(__to - __text));
}

template <class _Context, class _Operation, class _Object>
inline void __creation(_Context&, const _Operation& __at, const char* __object, _Object* __on,
                       unsigned long __descriptor, const char* __operation) {
  if (!skein_enabled()) return;
  const uint32_t __kind = ::skein::__detail::__asio_hooks::__kind_of_object(__object);
  skein_use __use = {};
  if (__kind == SKEIN_KIND_socket) {
    __use = skein_connection(static_cast<int>(__descriptor), __object,
                             static_cast<uint32_t>(__operation[6]));  // of "async_send"
  } else if (__kind != SKEIN_KIND_unknown) {
    __use.object =
        skein_object(::skein::__detail::__asio_hooks::__key_of_object(__kind, __on, __descriptor),
                     __kind, __object);
    if constexpr (requires { __on->expiry; })
      __use.expires = ::skein::__detail::__asio_hooks::__expiry_of(__on);
  }
  [[__maybe_unused__]] skein_task* __task = ::skein::__detail::__asio_hooks::__created(
      __builtin_addressof(__at), ::skein::__detail::__asio_hooks::__type_of<_Operation>(),
      ::skein::__detail::__asio_hooks::__text_of<_Operation>(), __object, __operation, __use);
  if constexpr (__knows_members<_Context>) {
    if (__task == nullptr) return;
    if constexpr (requires { typename __lookup<_Operation>::__query; })
      ::skein::__detail::__asio_hooks::__label_lookup(__task, __at);
    else if (__kind == SKEIN_KIND_signals)
      skein_label_signals(__task, ::skein::__detail::__asio_hooks::__signals_of(__on));
  }
}

// The operation of another library may have no object.
template <class _Context, class _Operation>
inline void __creation(_Context& __context, const _Operation& __at, const char* __object,
                       const volatile void*, unsigned long __descriptor, const char* __operation) {
  ::skein::__detail::__asio_hooks::__creation(
      __context, __at, __object, static_cast<const char*>(nullptr), __descriptor, __operation);
}

// The current task cancels the operations of an object, or closes it.
template <class _Context, class _Object>
inline void __operation(_Context&, const char* __object, _Object* __on, unsigned long __descriptor,
                        const char* __operation) {
  if (!skein_enabled()) return;
  const uint32_t __kind = ::skein::__detail::__asio_hooks::__kind_of_object(__object);
  if (__kind == SKEIN_KIND_unknown) return;
  const uintptr_t __key =
      ::skein::__detail::__asio_hooks::__key_of_object(__kind, __on, __descriptor);
  uint64_t __expires = 0;
  if constexpr (requires { __on->expiry; })
    __expires = ::skein::__detail::__asio_hooks::__expiry_of(__on);
  if (__operation[0] == 'c' && __operation[1] == 'l') {  // close
    if (__kind == SKEIN_KIND_socket)
      skein_connection(static_cast<int>(__descriptor), __object, SKEIN_SOCKET_closes);
    skein_object_end(__key);
  } else {
    skein_object_cancel(__key, __kind, __object, __expires);
  }
}

// Asio begins to use a descriptor. One that the recorder knows was closed by other means.
template <class _Context>
inline void __registration(_Context&, unsigned long __descriptor, unsigned long) {
  if (skein_handles_kept()) skein_object_end(static_cast<uintptr_t>(__descriptor) + 1);
}

// Asio's flag `might_have_pending_waits` of a timer, as deadline_timer_service uses it.
template <class _Timer>
class __timer_flag {
 public:
  __timer_flag(_Timer& __timer, bool& __flag) : __timer_(__timer), __flag_(__flag) {}
  operator bool() const { return __flag_; }
  // Only cancel() and cancel_one() negate the flag. If it is false they return, without a hook.
  bool operator!() const {
    if (!__flag_ && skein_enabled() &&
        ::skein::__detail::__asio_hooks::__expiry_of(&__timer_) == SKEIN_NEVER)
      skein_object_cancel(reinterpret_cast<uintptr_t>(&__timer_), SKEIN_KIND_alarm,
                          "deadline_timer", SKEIN_NEVER);
    return !__flag_;
  }
  // A timer without an expiry is new, or was moved.
  __timer_flag& operator=(bool __value) {
    __flag_ = __value;
    if (skein_handles_kept() && __timer_.expiry == decltype(__timer_.expiry)())
      skein_object_end(reinterpret_cast<uintptr_t>(&__timer_));
    return *this;
  }
  __timer_flag& operator=(const __timer_flag& __other) {
    __flag_ = __other.__flag_;
    return *this;
  }

 private:
  _Timer& __timer_;
  bool& __flag_;
};
template <class _Timer>
inline __timer_flag<_Timer> __flag_of(_Timer& __timer, bool& __flag) {
  return {__timer, __flag};
}

class __completion {
 public:
  template <class _Operation>
  explicit __completion(const _Operation& __at) {
    if (skein_handles_kept())
      __task_ = skein_handle_take(__builtin_addressof(__at),
                                  ::skein::__detail::__asio_hooks::__type_of<_Operation>());
    __reason_[0] = 0;
  }
  __completion(const __completion&) = delete;
  ~__completion() {
    if (__task_.id == 0 || !skein_enabled()) return;
    if (__invoked_)
      skein_fail(&__task_, "the handler threw", __previous_);
    else
      skein_cancel(&__task_);
  }

  void __invocation_begin() {
    __invoked_ = true;
    if (__task_.id != 0 && skein_enabled()) __previous_ = skein_resume(&__task_);
  }
  template <class _Error, class... _Results>
  void __invocation_begin(const _Error& __error, const _Results&... __results) {
    __invoked_ = true;
    if (__task_.id == 0 || !skein_enabled()) return;
    if constexpr ((__is_same(_Results, unsigned long) || ...))
      __previous_ = skein_resume_io(&__task_, (__bytes(__results) + ...));
    else
      __previous_ = skein_resume(&__task_);
    if constexpr (requires {
                    skein_error_text(__error.category().name(), __error.value(), nullptr, 0);
                    static_cast<bool>(__error);
                  }) {
      if (__error)
        skein_error_text(__error.category().name(), __error.value(), __reason_, sizeof __reason_);
    }
  }
  void __invocation_end() {
    if (__task_.id != 0 && skein_enabled()) {
      if (__reason_[0] != 0)
        skein_fail(&__task_, __reason_, __previous_);
      else
        skein_resolve(&__task_, __previous_);
    }
    __task_.id = 0;
  }

 private:
  // The bytes moved: the only result of type unsigned long. Other results count as 0.
  template <class _Tp>
  static uint64_t __bytes(const _Tp& __result) {
    if constexpr (__is_same(_Tp, unsigned long))
      return __result;
    else
      return 0;
  }

  skein_task __task_{};
  uint64_t __previous_ = 0;
  bool __invoked_ = false;
  char __reason_[63];  // the error code's text, truncated
};

// True for a completion handler of co_spawn that ignores the exception.
template <class _Handler>
inline constexpr bool __drops_errors = false;

}  // namespace skein::__detail::__asio_hooks

#endif

// Asio's hooks. Outside the include guard: each of the two libraries includes this header.
//
// This header is being read by Asio's handler_tracking.hpp. First that file is read once more as if
// there were no custom tracking: it defines all hooks, empty or for its built-in tracking. Then
// seven of them are replaced by ours, which include the built-in ones (SKEIN_DETAIL_.._OWN).
// Finally the outer handler_tracking.hpp, which sees a custom tracking, defines
// ENABLE_HANDLER_TRACKING, with which use_awaitable_t has three more members. The first class with
// a hook, Asio's base of all operations, undefines it again: all versions define it before
// use_awaitable_t. If the program defines it, that class undefines the custom tracking instead,
// with which Asio's separately compiled part would lack the built-in tracking.
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
#define SKEIN_DETAIL_WATCH_TIMERS                                                       \
  might_have_pending_waits;                                                             \
  auto skein_flag() {                                                                   \
    return ::skein::__detail::__asio_hooks::__flag_of(*this, might_have_pending_waits); \
  }                                                                                     \
  _Pragma("pop_macro(\"might_have_pending_waits\")") static_assert(true, "")
// A scope may state several locations.
#define SKEIN_DETAIL_JOIN(a, b) SKEIN_DETAIL_JOINED(a, b)
#define SKEIN_DETAIL_JOINED(a, b) a##b
#define SKEIN_DETAIL_LOCATION(args, name)           \
  ::skein::__detail::__asio_hooks::__location name; \
  if constexpr (requires { name.__set args; }) name.__set args
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
#undef BOOST_ASIO_HANDLER_REACTOR_REGISTRATION
#define BOOST_ASIO_HANDLER_REACTOR_REGISTRATION(args)                                        \
  (SKEIN_DETAIL_BOOST_ASIO_OWN(::boost::asio::detail::handler_tracking::reactor_registration \
                                   args, )::skein::__detail::__asio_hooks::__registration args)
#define BOOST_ASIO_HANDLER_LOCATION(args)                                         \
  SKEIN_DETAIL_BOOST_ASIO_OWN(                                                    \
      ::boost::asio::detail::handler_tracking::location __tracked_location args;) \
  SKEIN_DETAIL_LOCATION(args, SKEIN_DETAIL_JOIN(skein_location, __LINE__))
#define BOOST_ASIO_HANDLER_CREATION(args)                                        \
  (SKEIN_DETAIL_BOOST_ASIO_OWN(::boost::asio::detail::handler_tracking::creation \
                                   args, )::skein::__detail::__asio_hooks::__creation args)
#define BOOST_ASIO_HANDLER_OPERATION(args)                                        \
  (SKEIN_DETAIL_BOOST_ASIO_OWN(::boost::asio::detail::handler_tracking::operation \
                                   args, )::skein::__detail::__asio_hooks::__operation args)
#define BOOST_ASIO_HANDLER_COMPLETION(args)                                           \
  SKEIN_DETAIL_BOOST_ASIO_OWN(                                                        \
      ::boost::asio::detail::handler_tracking::completion __tracked_completion args;) \
  ::skein::__detail::__asio_hooks::__completion skein_completion args
#define BOOST_ASIO_HANDLER_INVOCATION_BEGIN(args)                            \
  (SKEIN_DETAIL_BOOST_ASIO_OWN(__tracked_completion.invocation_begin args, ) \
       skein_completion.__invocation_begin args)
#define BOOST_ASIO_HANDLER_INVOCATION_END                               \
  (SKEIN_DETAIL_BOOST_ASIO_OWN(__tracked_completion.invocation_end(), ) \
       skein_completion.__invocation_end())
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
#undef ASIO_HANDLER_REACTOR_REGISTRATION
#define ASIO_HANDLER_REACTOR_REGISTRATION(args)                                 \
  (SKEIN_DETAIL_ASIO_OWN(::asio::detail::handler_tracking::reactor_registration \
                             args, )::skein::__detail::__asio_hooks::__registration args)
#define ASIO_HANDLER_LOCATION(args)                                                          \
  SKEIN_DETAIL_ASIO_OWN(::asio::detail::handler_tracking::location __tracked_location args;) \
  SKEIN_DETAIL_LOCATION(args, SKEIN_DETAIL_JOIN(skein_location, __LINE__))
#define ASIO_HANDLER_CREATION(args)                                 \
  (SKEIN_DETAIL_ASIO_OWN(::asio::detail::handler_tracking::creation \
                             args, )::skein::__detail::__asio_hooks::__creation args)
#define ASIO_HANDLER_OPERATION(args)                                 \
  (SKEIN_DETAIL_ASIO_OWN(::asio::detail::handler_tracking::operation \
                             args, )::skein::__detail::__asio_hooks::__operation args)
#define ASIO_HANDLER_COMPLETION(args)                                                            \
  SKEIN_DETAIL_ASIO_OWN(::asio::detail::handler_tracking::completion __tracked_completion args;) \
  ::skein::__detail::__asio_hooks::__completion skein_completion args
#define ASIO_HANDLER_INVOCATION_BEGIN(args)                            \
  (SKEIN_DETAIL_ASIO_OWN(__tracked_completion.invocation_begin args, ) \
       skein_completion.__invocation_begin args)
#define ASIO_HANDLER_INVOCATION_END                               \
  (SKEIN_DETAIL_ASIO_OWN(__tracked_completion.invocation_end(), ) \
       skein_completion.__invocation_end())
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
#define SKEIN_DETAIL_PLUMBING(__ns)                                                              \
  namespace __ns {                                                                               \
  template <typename, typename>                                                                  \
  class awaitable;                                                                               \
  template <typename>                                                                            \
  struct use_awaitable_t;                                                                        \
  template <typename, typename>                                                                  \
  class executor_binder;                                                                         \
  namespace detail {                                                                             \
  struct awaitable_thread_entry_point;                                                           \
  class detached_handler;                                                                        \
  }                                                                                              \
  }                                                                                              \
  template <class _Tp, class _Ep, class _Initiation, class _E2, class... _Ap>                    \
  inline constexpr bool skein::__detail::__plumbing<__ns::awaitable<_Tp, _Ep>, _Initiation,      \
                                                    __ns::use_awaitable_t<_E2>, _Ap...> = true;  \
  template <class _Ep, class... _Ap>                                                             \
  inline constexpr bool skein::__detail::__plumbing<                                             \
      __ns::awaitable<__ns::detail::awaitable_thread_entry_point, _Ep>, _Ap...> = true;          \
  template <class _Ep, class _Tp, class _Fp, class _Hp> /* before Asio 1.18 */                   \
  inline constexpr bool skein::__detail::__plumbing<__ns::awaitable<void, _Ep>,                  \
                                                    __ns::awaitable<_Tp, _Ep>*, _Ep, _Fp, _Hp> = \
      true;                                                                                      \
  template <>                                                                                    \
  inline constexpr bool                                                                          \
      skein::__detail::__asio_hooks::__drops_errors<__ns::detail::detached_handler> = true;      \
  template <class _Hp, class _Ep>                                                                \
  inline constexpr bool                                                                          \
      skein::__detail::__asio_hooks::__drops_errors<__ns::executor_binder<_Hp, _Ep>> =           \
          skein::__detail::__asio_hooks::__drops_errors<_Hp>;                                    \
  template <class _Rp, class _Ep, class _Tp, class _Fp, class _Hp>                               \
  inline constexpr bool skein::__detail::__discards<__ns::awaitable<_Rp, _Ep>,                   \
                                                    __ns::awaitable<_Tp, _Ep>*, _Ep, _Fp, _Hp> = \
      skein::__detail::__asio_hooks::__drops_errors<_Hp>;                                        \
  template <class _Rp, class _Ep, class _Tp, template <class...> class _State, class _Hp,        \
            class... _Ap> /* later */                                                            \
  inline constexpr bool skein::__detail::__discards<                                             \
      __ns::awaitable<_Rp, _Ep>, __ns::awaitable<_Tp, _Ep>*, _State<_Hp, _Ap...>> =              \
      skein::__detail::__asio_hooks::__drops_errors<_Hp>;
#if defined(BOOST_ASIO_DETAIL_HANDLER_TRACKING_HPP) && !defined(SKEIN_DETAIL_BOOST_ASIO)
#define SKEIN_DETAIL_BOOST_ASIO
SKEIN_DETAIL_PLUMBING(boost::asio)
#endif
#if defined(ASIO_DETAIL_HANDLER_TRACKING_HPP) && !defined(SKEIN_DETAIL_STANDALONE_ASIO)
#define SKEIN_DETAIL_STANDALONE_ASIO
SKEIN_DETAIL_PLUMBING(asio)
#endif
#undef SKEIN_DETAIL_PLUMBING

#define SKEIN_DETAIL_MEMBERS(__ns)                                                                \
  namespace __ns {                                                                                \
  class execution_context;                                                                        \
  namespace ip {                                                                                  \
  template <typename>                                                                             \
  class basic_resolver_query;                                                                     \
  }                                                                                               \
  namespace detail {                                                                              \
  class resolve_op;                                                                               \
  template <typename, typename, typename>                                                         \
  class resolve_query_op;                                                                         \
  }                                                                                               \
  }                                                                                               \
  template <>                                                                                     \
  inline constexpr bool skein::__detail::__asio_hooks::__knows_members<__ns::execution_context> = \
      true;                                                                                       \
  template <class _Pp, class _Hp, class _Ep>                                                      \
  struct skein::__detail::__asio_hooks::__lookup<__ns::detail::resolve_query_op<_Pp, _Hp, _Ep>> { \
    using __base = __ns::detail::resolve_op;                                                      \
    using __query = __ns::ip::basic_resolver_query<_Pp>;                                          \
  };
#if defined(SKEIN_DETAIL_BOOST_ASIO) && !defined(SKEIN_DETAIL_BOOST_MEMBERS)
#define SKEIN_DETAIL_BOOST_MEMBERS
#if BOOST_ASIO_VERSION >= 101800 && BOOST_ASIO_VERSION < 102700
SKEIN_DETAIL_MEMBERS(boost::asio)
#endif
#endif
#if defined(SKEIN_DETAIL_STANDALONE_ASIO) && !defined(SKEIN_DETAIL_STANDALONE_MEMBERS)
#define SKEIN_DETAIL_STANDALONE_MEMBERS
#if ASIO_VERSION >= 101800 && ASIO_VERSION < 102700
SKEIN_DETAIL_MEMBERS(asio)
#endif
#endif
#undef SKEIN_DETAIL_MEMBERS
