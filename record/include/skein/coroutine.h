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
//    +----------------------------+-------------+----------+
//    | P, at offset 0             | task (16 B) | previous |
//    +----------------------------+-------------+----------+
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

// From here on specialisations and uses by libraries mean the original.
#define coroutine_traits skein_original_coroutine_traits
#endif
#endif
