// Traces every C++20 coroutine of a translation unit, whatever library its promise comes from,
// without a change to the source: compile with `-include skein/coroutine.h` (the CMake target
// skein::coroutine adds this option) and link with skein::record. The trace contains each coroutine
// as a task, with the function, file and line of its creation and of every co_await and co_yield,
// the target of each wait if it can be found, its wakers, and its end: a value, an exception with
// its text, or destruction.
//
// Method: std::coroutine_traits is renamed before <coroutine> is read, so that the compiler finds
// the template below in its place. For a promise P its promise_type is traced<P>:
//
//    +----------------------------+-------------+----------+
//    | P, at offset 0             | task (16 B) | previous |
//    +----------------------------+-------------+----------+
//
// Libraries still see P. A handle passed to await_suspend is a coroutine_handle<P>; from_promise
// returns the right frame, because P is at its usual offset; every member that is not named below
// is inherited. A `final` promise cannot be a base class and is a member instead (boxed). A promise
// aligned to more than two pointers would have another offset in the frame: its coroutines are not
// traced.
//
// The parts: coroutine/frame.h (events, and the search for the awaited task), coroutine/awaiting.h
// (co_await), coroutine/yielding.h (co_yield), coroutine/promise.h (traced<P>).
//
// Invariants; each has a test in tests/adapters/coroutine_test.cc or coroutine_promise_test.cc:
//  - A suspension is recorded before the inner await_suspend is called. After that call the frame
//    may run on another thread or be destroyed; it is used again only if the call returns false or
//    throws.
//  - No thread_local is used: a coroutine may resume on another thread, and compilers keep the
//    address of a thread_local across a co_await.
//  - The final awaiter is noexcept. A final_suspend that does not suspend ends the task too.
//  - Helpers are called with qualified names, so that the promise's namespaces are not searched.
//  - <coroutine> is not included with libstdc++: it would add 30 ms to each source without
//    coroutines.
//
// Limits:
//  - The awaited coroutine is unknown if it was created before recording started, or in another
//    module by a function that this module never called.
//  - An awaitable is not traced if its operator co_await is neither a member nor found by
//    argument-dependent lookup (for example one for std::chrono::duration in the global namespace).
//  - Awaiting a bit-field or an overload set requires a cast.
//  - The members of a promise must be accessible. A private overload of yield_value beside a traced
//    one does not compile.
//  - If yield_value is overloaded or a template, an overload whose parameter type cannot be derived
//    (see `twins_of`) is not traced: the task is suspended, without a location, until its next
//    recorded step. In a `final` promise, a braced list for such an overload does not compile.
#ifndef SKEIN_COROUTINE_H
#define SKEIN_COROUTINE_H
#if !defined(SKEIN_DISABLE) && defined(__cplusplus) && defined(__cpp_concepts) && \
    (defined(__cpp_impl_coroutine) || defined(__cpp_coroutines))
#pragma GCC system_header  // no warnings in the user's build

#if defined(_GLIBCXX_COROUTINE) || defined(_LIBCPP_COROUTINE)
#error \
    "skein: skein/coroutine.h must come before <coroutine>; compile with -include skein/coroutine.h"
#endif

#include <version>

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

#include <skein/coroutine/promise.h>

namespace std {
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

// From here on, the name refers to the original template in specialisations and uses by libraries.
#define coroutine_traits skein_original_coroutine_traits
#endif
#endif
