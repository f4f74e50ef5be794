// Annotations of tasks (labels, should_resolve, spans), and tasks that the program defines where
// neither skein::coroutine nor skein::asio sees one: a state machine, a request in a queue.
//
//   SKEIN_LABEL("request");                 // labels the current task; a literal, interned once
//   skein::label(text);                     // any text, copied; truncated to 512 bytes
//   skein::should_resolve();                // analyses report the current task if it never ends
//   SKEIN_SPAN("parse");                    // to the end of the block; may cross a co_await
//
//   skein::task request("request");         // a child of the current task
//   { skein::running r(request); ... }      // the task is current in this block
//   request.resolve();                      // or fail(reason); destroyed before that: cancelled
//
//   skein::resolve_and_resume(task, handle);   // completes a future that the program defines
//
// An awaiter can name the target of its wait: it defines `uint64_t skein_awaits()`, which returns
// the id of a task or resource. It is called before the awaiter suspends, and if it is ready.
//
// Cost of each while the recorder is off: one load and one branch.
#pragma once
#include <skein/counter.h>
#include <skein/skein.h>

#if __has_builtin(__builtin_source_location)
#include <source_location>
#endif

namespace skein {

// Attaches a label to the current task. The text is copied and truncated to 512 bytes.
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
inline void label(const Text& text) {
  if (skein_enabled()) skein_label_text(nullptr, text.data(), text.size());
}
// Marks the current task as one that should end.
inline void should_resolve() {
  if (skein_enabled()) skein_should_resolve(nullptr);
}

#if !defined(SKEIN_DISABLE)
// The caller's source location, as a default argument.
struct here {
  skein_source where;
#if __has_builtin(__builtin_source_location)  // its function name includes the class
  here(std::source_location at = std::source_location::current())
      : where{at.file_name(), at.function_name(), at.line(), at.column()} {}
#else  // clang 14
  here(const char* file = __builtin_FILE(), const char* function = __builtin_FUNCTION(),
       int line = __builtin_LINE())
      : where{file, function, static_cast<uint32_t>(line), 0} {}
#endif
};

// A task that the program defines. Threads: one thread may use it at a time.
class task {
 public:
  // Creates a child of the current task. Precondition: `name` lives as long as its module (a
  // literal).
  explicit task(const char* name, uint32_t kind = SKEIN_KIND_task, here at = {}) {
    if (skein_enabled()) skein_create(&task_, kind, name, &at.where);
  }
  task(task&& other) noexcept : task_(other.task_), previous_(other.previous_) {
    other.task_.id = 0;
  }
  task& operator=(task&&) = delete;
  // Cancels the task if it has not ended.
  ~task() {
    if (task_.id != 0 && skein_enabled()) skein_cancel(&task_);
  }

  // Ends the task with a value, or with an error. Later calls do nothing.
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
  // 0: not in a trace, or ended.
  uint64_t id() const { return task_.id; }

 private:
  friend class running;
  template <class F>
  void end(F f) {
    if (task_.id != 0 && skein_enabled()) f();
    task_.id = 0;
  }
  skein_task task_{};
  uint64_t previous_ = 0;  // the task that is current again afterwards
};

// Makes a task current on this thread from construction to destruction. Then the task is suspended,
// unless it has ended, and the previous task is current again. Precondition: the task outlives it.
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

// A span on the current task, from construction to destruction.
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
#define SKEIN_DETAIL_COROUTINES true  // skein/coroutine.h was included
#else
#define SKEIN_DETAIL_COROUTINES false
#endif
// Ends `ended` with a value, then resumes the coroutine that waits for it, inside this call.
// `waiter` is a std::coroutine_handle and may be null. If the waiter is traced, one time stamp is
// read for both events.
template <class Handle, bool Traced = SKEIN_DETAIL_COROUTINES>
inline void resolve_and_resume(skein_task& ended, Handle waiter) {
  if (skein_enabled()) {
    bool recorded = false;
#if defined(SKEIN_DETAIL_PLACE) && !defined(SKEIN_DISABLE)
    if (waiter) recorded = __detail::__resolve_for(ended, waiter.address());
#endif
    if (!recorded) skein_resolve(&ended, 0);
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
