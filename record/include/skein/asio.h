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
//                      that of the co_await, else that of Asio's composed operation
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

[[gnu::noinline, gnu::visibility("hidden")]] inline void created(const void* object_at,
                                                                 const void* type,
                                                                 const char* object,
                                                                 const char* operation) {
  skein_task* task = skein_handle_keep(object_at, type);
  if (task == nullptr) return;
  const skein_source* stated = outermost;
  const bool by_asio = stated != nullptr && ::skein::detail::asio_hooks::of_asio(stated->file);
  skein_operation(task, kind_of(object), ::skein::detail::asio_hooks::join(object, operation),
                  by_asio ? nullptr : stated, stated);
}

template <class Context, class Operation>
inline void creation(Context&, const Operation& at, const char* object, void*, unsigned long,
                     const char* operation) {
  if (skein_enabled())
    ::skein::detail::asio_hooks::created(__builtin_addressof(at),
                                         ::skein::detail::asio_hooks::type_of<Operation>(), object,
                                         operation);
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
// five of them are replaced by ours, which include the built-in ones (SKEIN_DETAIL_.._OWN). Finally
// the outer handler_tracking.hpp, which sees a custom tracking, defines ENABLE_HANDLER_TRACKING,
// with which use_awaitable_t has three more members. The first class with a hook, Asio's base of
// all operations, undefines it again: all versions define it before use_awaitable_t. If the program
// defines it, that class undefines the custom tracking instead, with which Asio's separately
// compiled part would lack the built-in tracking.
//
// HANDLER_LOCATION is therefore used with members of use_awaitable_t that do not exist, in
// templates.
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
#define ASIO_HANDLER_COMPLETION(args)                                                          \
  SKEIN_DETAIL_ASIO_OWN(::asio::detail::handler_tracking::completion tracked_completion args;) \
  ::skein::detail::asio_hooks::completion skein_completion args
#define ASIO_HANDLER_INVOCATION_BEGIN(args)                          \
  (SKEIN_DETAIL_ASIO_OWN(tracked_completion.invocation_begin args, ) \
       skein_completion.invocation_begin args)
#define ASIO_HANDLER_INVOCATION_END \
  (SKEIN_DETAIL_ASIO_OWN(tracked_completion.invocation_end(), ) skein_completion.invocation_end())
#endif

// With use_awaitable each operation has a coroutine that is destroyed and never ends. It is not
// traced: the operation itself contains the same events. The specialisation is declared only for
// the library that is being included, because the other name may belong to the program.
#ifdef SKEIN_DETAIL_PLACE
#define SKEIN_DETAIL_PLUMBING(ns)                                                               \
  namespace ns {                                                                                \
  template <typename, typename>                                                                 \
  class awaitable;                                                                              \
  template <typename>                                                                           \
  struct use_awaitable_t;                                                                       \
  }                                                                                             \
  template <class T, class E, class Initiation, class E2, class... A>                           \
  inline constexpr bool                                                                         \
      skein::detail::plumbing<ns::awaitable<T, E>, Initiation, ns::use_awaitable_t<E2>, A...> = \
          true;
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
