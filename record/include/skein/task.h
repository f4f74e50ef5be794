// What a program says of its tasks: labels, hints, named intervals; and tasks of its own making,
// where neither skein::coroutine nor skein::asio sees one (a state machine, a request in a queue).
//
//   SKEIN_LABEL("request");                 // of the current task; a literal, its id kept
//   skein::label(text);                     // made up on the spot; bytes beyond 512 are cut
//   skein::should_resolve();                // an error to show if the current task never ends
//   SKEIN_SPAN("parse");                    // to the end of the block; may cross a co_await
//
//   skein::task request("request");         // child of the current task
//   { skein::running r(request); ... }      // it is current in this block
//   request.resolve();                      // or fail(reason); destroyed before that: cancelled
//
//   skein::resolve_and_resume(task, handle);   // a future of one's own has its result
// An awaiter of one's own says what it waits for: a task's or resource's id from
// `uint64_t skein_awaits()`, asked before it suspends and when it is ready.
#pragma once
#include <skein/counter.h>
#include <skein/skein.h>

#if __has_builtin(__builtin_source_location)
#include <source_location>
#endif

namespace skein {

// Of the current task.
inline void label(const char* text, size_t size) {
  if (skein_enabled()) skein_label_text(nullptr, text, size);
}
inline void label(const char* text) {
  if (skein_enabled()) skein_label_text(nullptr, text, __builtin_strlen(text));
}
template <class Text>
requires requires(const Text& t) {
  t.data();
  t.size();
}
void label(const Text& text) {
  if (skein_enabled()) skein_label_text(nullptr, text.data(), text.size());
}
inline void should_resolve() {
  if (skein_enabled()) skein_should_resolve(nullptr);
}

#if !defined(SKEIN_DISABLE)
// A place in the source as a default argument.
struct here {
  skein_source where;
#if __has_builtin(__builtin_source_location)  // names the function's class, too
  here(std::source_location at = std::source_location::current())
      : where{at.file_name(), at.function_name(), at.line(), at.column()} {}
#else  // clang 14
  here(const char* file = __builtin_FILE(), const char* function = __builtin_FUNCTION(),
       int line = __builtin_LINE())
      : where{file, function, static_cast<uint32_t>(line), 0} {}
#endif
};

// A task of the program's own. Moved, not copied; given to one thread at a time.
class task {
 public:
  // Before: `name` stays (a literal).
  explicit task(const char* name, uint32_t kind = SKEIN_KIND_task, here at = {}) {
    if (skein_enabled()) skein_create(&task_, kind, name, &at.where);
  }
  task(task&& other) noexcept : task_(other.task_), previous_(other.previous_) {
    other.task_.id = 0;
  }
  task& operator=(task&&) = delete;
  ~task() {
    if (task_.id != 0 && skein_enabled()) skein_cancel(&task_);
  }

  void resolve() {
    end([this] { skein_resolve(&task_, previous_); });
  }
  void fail(const char* reason) {
    end([&] { skein_fail(&task_, reason, previous_); });
  }
  void label(const char* text) {
    if (skein_enabled()) skein_label_text(&task_, text, __builtin_strlen(text));
  }
  void should_resolve() {
    if (skein_enabled()) skein_should_resolve(&task_);
  }
  uint64_t id() const { return task_.id; }

 private:
  friend class running;
  template <class F>
  void end(F f) {
    if (task_.id != 0 && skein_enabled()) f();
    task_.id = 0;
  }
  skein_task task_{};
  uint64_t previous_ = 0;  // what is current again after it
};

// The task runs on this thread while the object lives; then it waits (unless it has ended), and
// what ran before runs again.
class running {
 public:
  explicit running(task& t, here at = {}) : task_(t), at_(at) {
    if (skein_enabled()) task_.previous_ = skein_resume(&task_.task_);
  }
  running(const running&) = delete;
  ~running() {
    if (task_.task_.id != 0 && skein_enabled())
      skein_suspend(&task_.task_, 0, &at_.where, task_.previous_);
    task_.previous_ = 0;
  }

 private:
  task& task_;
  here at_;
};

// A named interval on the current task, from construction to destruction.
class span {
 public:
  explicit span(detail::text_id& name) : id_(skein_enabled() ? skein_span_begin(name.get()) : 0) {}
  span(const span&) = delete;
  ~span() {
    if (id_ != 0 && skein_enabled()) skein_span_end(id_);
  }

 private:
  uint64_t id_;
};
#else
struct here {};
class task {
 public:
  explicit task(const char*, uint32_t = 0, here = {}) {}
  task(task&&) noexcept {}
  void resolve() {}
  void fail(const char*) {}
  void label(const char*) {}
  void should_resolve() {}
  uint64_t id() const { return 0; }
};
struct running {
  explicit running(task&, here = {}) {}
};
#endif

#if defined(SKEIN_DETAIL_PLACE) && !defined(SKEIN_DISABLE)
#define SKEIN_DETAIL_COROUTINES true  // skein/coroutine.h is there
#else
#define SKEIN_DETAIL_COROUTINES false
#endif
// `ended` ends with a value, and the coroutine that waits for it (a std::coroutine_handle; may be
// null) is resumed, inside of this call. If that is traced, one time stamp tells both.
template <class Handle, bool Traced = SKEIN_DETAIL_COROUTINES>
void resolve_and_resume(skein_task& ended, Handle waiter) {
  if (skein_enabled()) {
    bool told = false;
#if defined(SKEIN_DETAIL_PLACE) && !defined(SKEIN_DISABLE)
    if (waiter) told = detail::resolve_for(ended, waiter.address());
#endif
    if (!told) skein_resolve(&ended, 0);
  }
  if (waiter) waiter.resume();
}

}  // namespace skein

#define SKEIN_DETAIL_JOIN2(a, b) a##b
#define SKEIN_DETAIL_JOIN(a, b) SKEIN_DETAIL_JOIN2(a, b)
#if defined(SKEIN_DISABLE)
#define SKEIN_LABEL(text) ((void)0)
#define SKEIN_SPAN(name) static_assert(true)
#else
#define SKEIN_LABEL(text)                                            \
  do {                                                               \
    if (skein_enabled()) {                                           \
      static constinit ::skein::detail::text_id skein_name(text ""); \
      ::skein_label(nullptr, skein_name.get());                      \
    }                                                                \
  } while (0)
#define SKEIN_SPAN(name)                                                                       \
  static constinit ::skein::detail::text_id SKEIN_DETAIL_JOIN(skein_name_, __LINE__)(name ""); \
  const ::skein::span SKEIN_DETAIL_JOIN(skein_span_,                                           \
                                        __LINE__)(SKEIN_DETAIL_JOIN(skein_name_, __LINE__))
#endif
