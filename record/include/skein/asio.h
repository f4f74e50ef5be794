// Traces every operation and handler of Boost.Asio (1.74 ..) and standalone Asio (1.22 ..), with no
// change to the source: it is what <boost/asio/detail/handler_tracking.hpp> includes when
// BOOST_ASIO_CUSTOM_HANDLER_TRACKING names it, and likewise for standalone Asio. The target
// skein::asio does so (skein/asio_tracking.h) and adds skein/coroutine.h.
//
//   creation           an operation exists: kind timer, io or handler by the type of the object,
//                      name "socket.async_receive"; what the coroutine suspended just before waits
//                      for, or else a child of whatever is current. Its place: that of the
//                      program's HANDLER_LOCATION, of the co_await, or of Asio's composed operation
//   invocation begin   it is current; the bytes it moved
//   invocation end     it ended: resolved, or failed with the error code's message
//   never invoked      cancelled (its context was destroyed)
//   the handler threw  failed
//
// Asio moves a handler out of its operation and frees that before it calls the handler; so the
// operation holds the task (16 bytes), and the completion object on the stack takes it over.
//
// A program built so must be built so as a whole: Asio's operations have another layout. (They have
// with Asio's own handler tracking too.)
//
// What Asio has no hook for: going to sleep in the reactor. It needs none: a thread on which
// nothing is current is in its loop (docs/recording.md). The hooks for single system calls tell
// nothing that the operation's end does not tell, and are left empty.
#ifndef SKEIN_ASIO_H
#define SKEIN_ASIO_H
#pragma GCC system_header  // its warnings are not the user's
#include <skein/skein.h>

namespace skein::detail::asio_hooks {

struct tracked_handler {
  skein_task skein_task_{};

 protected:
  tracked_handler() = default;
  ~tracked_handler() = default;
};

// "socket" and "async_receive" -> "socket.async_receive", as a string that stays: by the addresses
// of the two literals, in a table that lives and dies with the module they are in.
struct joined_name {
  const char* object;
  const char* operation;
  uint32_t state;  // 0 free, 1 being written, 2 there
  char text[52];
};
inline constexpr unsigned kNames = 256;

template <class = void>
struct __attribute__((visibility("hidden"))) names {
  static joined_name table[kNames];
  ~names() { skein_module_unloaded(); }  // the recorder knows these strings by their addresses
  static names instance;
};
template <class T>
joined_name names<T>::table[kNames];
template <class T>
names<T> names<T>::instance;

inline void append(char*& to, const char* end, const char* text) {
  while (to < end && *text != 0) *to++ = *text++;
}

[[gnu::noinline, gnu::visibility("hidden")]] inline const char* join(const char* object,
                                                                     const char* operation) {
  __asm__ volatile("" : : "r"(&names<>::instance));
  const uint64_t mixed =
      reinterpret_cast<uintptr_t>(object) * 31 + reinterpret_cast<uintptr_t>(operation);
  unsigned slot = static_cast<unsigned>((mixed * 0x9E3779B97F4A7C15ull) >> 56);
  for (unsigned tried = 0; tried < kNames; ++tried, slot = (slot + 1) % kNames) {
    joined_name& name = names<>::table[slot];
    uint32_t state = __atomic_load_n(&name.state, __ATOMIC_ACQUIRE);
    if (state == 0) {
      if (!__atomic_compare_exchange_n(&name.state, &state, 1, false, __ATOMIC_ACQUIRE,
                                       __ATOMIC_ACQUIRE)) {
        if (state != 2) continue;  // another thread is at it: the same name may come to lie twice
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
  return operation;  // 256 names: more than Asio has
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

// Where the program started the operation, if it or a composed operation said so: the outermost on
// this thread.
struct location;
__attribute__((visibility("hidden"))) inline thread_local constinit const skein_source* outermost =
    nullptr;
struct location {
  skein_source where;
  bool is_outermost;
  [[gnu::noinline, gnu::visibility("hidden")]] location(const char* file, int line,
                                                        const char* function)
      : where{file, function, static_cast<uint32_t>(line), 0},
        is_outermost(file != nullptr && outermost == nullptr) {
    if (is_outermost) outermost = &where;
  }
  location(const location&) = delete;
  [[gnu::noinline, gnu::visibility("hidden")]] ~location() {
    if (is_outermost) outermost = nullptr;
  }
};

// Is it one of Asio's composed operations that says its location? Asked once for each file's name,
// of which there are few: a line of Asio's is of less use than that of the co_await.
[[gnu::visibility("hidden")]] inline bool of_asio(const char* file) {
  static constinit struct {
    uint64_t files[64];  // address of the name, * 2, + 1 if it is Asio's
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

[[gnu::noinline, gnu::visibility("hidden")]] inline void created(skein_task& task,
                                                                 const char* object,
                                                                 const char* operation) {
  const skein_source* said = outermost;
  const bool by_asio = said != nullptr && ::skein::detail::asio_hooks::of_asio(said->file);
  skein_operation(&task, kind_of(object), ::skein::detail::asio_hooks::join(object, operation),
                  by_asio ? nullptr : said, said);
}

template <class Context>
void creation(Context&, tracked_handler& handler, const char* object, void*, unsigned long,
              const char* operation) {
  handler.skein_task_.id = 0;
  if (skein_enabled()) ::skein::detail::asio_hooks::created(handler.skein_task_, object, operation);
}

class completion {
 public:
  explicit completion(const tracked_handler& handler) : task_(handler.skein_task_) {
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
  // Bytes moved; other results are not numbers of that kind.
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

  skein_task task_;
  uint64_t previous_ = 0;
  bool invoked_ = false;
  char reason_[63];  // the error code's message
};

}  // namespace skein::detail::asio_hooks

#endif

// Asio's 15 macros and HANDLER_LOCATION; each library includes this header for itself.
#if defined(BOOST_ASIO_CUSTOM_HANDLER_TRACKING) && !defined(BOOST_ASIO_INHERIT_TRACKED_HANDLER)
#define BOOST_ASIO_INHERIT_TRACKED_HANDLER : public ::skein::detail::asio_hooks::tracked_handler
#define BOOST_ASIO_ALSO_INHERIT_TRACKED_HANDLER \
  , public ::skein::detail::asio_hooks::tracked_handler
#define BOOST_ASIO_HANDLER_TRACKING_INIT ((void)0)
#define BOOST_ASIO_HANDLER_LOCATION(args) \
  ::skein::detail::asio_hooks::location tracked_location args
#define BOOST_ASIO_HANDLER_CREATION(args) ::skein::detail::asio_hooks::creation args
#define BOOST_ASIO_HANDLER_COMPLETION(args) \
  ::skein::detail::asio_hooks::completion tracked_completion args
#define BOOST_ASIO_HANDLER_INVOCATION_BEGIN(args) tracked_completion.invocation_begin args
#define BOOST_ASIO_HANDLER_INVOCATION_END tracked_completion.invocation_end()
#define BOOST_ASIO_HANDLER_OPERATION(args) ((void)0)
#define BOOST_ASIO_HANDLER_REACTOR_REGISTRATION(args) ((void)0)
#define BOOST_ASIO_HANDLER_REACTOR_DEREGISTRATION(args) ((void)0)
#define BOOST_ASIO_HANDLER_REACTOR_READ_EVENT 0
#define BOOST_ASIO_HANDLER_REACTOR_WRITE_EVENT 0
#define BOOST_ASIO_HANDLER_REACTOR_ERROR_EVENT 0
#define BOOST_ASIO_HANDLER_REACTOR_EVENTS(args) ((void)0)
#define BOOST_ASIO_HANDLER_REACTOR_OPERATION(args) ((void)0)
#endif

#if defined(ASIO_CUSTOM_HANDLER_TRACKING) && !defined(ASIO_INHERIT_TRACKED_HANDLER)
#define ASIO_INHERIT_TRACKED_HANDLER : public ::skein::detail::asio_hooks::tracked_handler
#define ASIO_ALSO_INHERIT_TRACKED_HANDLER , public ::skein::detail::asio_hooks::tracked_handler
#define ASIO_HANDLER_TRACKING_INIT ((void)0)
#define ASIO_HANDLER_LOCATION(args) ::skein::detail::asio_hooks::location tracked_location args
#define ASIO_HANDLER_CREATION(args) ::skein::detail::asio_hooks::creation args
#define ASIO_HANDLER_COMPLETION(args) \
  ::skein::detail::asio_hooks::completion tracked_completion args
#define ASIO_HANDLER_INVOCATION_BEGIN(args) tracked_completion.invocation_begin args
#define ASIO_HANDLER_INVOCATION_END tracked_completion.invocation_end()
#define ASIO_HANDLER_OPERATION(args) ((void)0)
#define ASIO_HANDLER_REACTOR_REGISTRATION(args) ((void)0)
#define ASIO_HANDLER_REACTOR_DEREGISTRATION(args) ((void)0)
#define ASIO_HANDLER_REACTOR_READ_EVENT 0
#define ASIO_HANDLER_REACTOR_WRITE_EVENT 0
#define ASIO_HANDLER_REACTOR_ERROR_EVENT 0
#define ASIO_HANDLER_REACTOR_EVENTS(args) ((void)0)
#define ASIO_HANDLER_REACTOR_OPERATION(args) ((void)0)
#endif

// use_awaitable makes of each operation a coroutine of its own, which is destroyed and never ends:
// the operation itself says all there is to say. Declared only for the library that is being
// included: the other's name may be the program's own.
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
