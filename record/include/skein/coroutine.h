// Traces every C++20 coroutine of a translation unit, whatever library its promise comes from,
// without a change to the source: compile with `-I` and the folder skein/wrappers (the CMake target
// skein::coroutine adds this option) and link with skein::record. A source that includes
// <coroutine> then reads this header first; others read nothing. `-include skein/coroutine.h` does
// the same. The trace contains each coroutine as a task, with the function, file and line of its
// creation and of every co_await and co_yield, the target of each wait if it can be found, its
// wakers, and its end: a value, an exception with its text, or destruction.
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
// is inherited. A promise that is final or a union cannot be a base class; of a polymorphic one,
// typeid would change; one with a virtual base would not construct it. Such a promise is a member
// instead (contained).
//
// The program selects the same overloads and its objects have the same lifetimes as without this
// header. Where that cannot be proved at compile time, the overload is left to the library, and its
// suspensions have no location; or the promise_type is P itself, and the coroutine is not traced.
// An await_transform that is a template or overloaded is hidden nevertheless: its caller sees to
// the lifetimes (see coroutine/transform.h). Rejected:
//  - Hiding yield_value by a template that accepts any argument. Braces have no type, and an object
//    that the argument is converted to is destroyed before the coroutine is suspended.
//  - Hiding no function of P. The awaiter of the library is then the only witness: it is passed a
//    handle, whose conversion can be observed, but not the location, the target or the resumption.
//  - Leaving all promises alone whose await_transform is a template: most libraries have one, with
//    a forwarding reference, for which passing the argument on makes no difference.
//
// Not traced are coroutines whose promise
//  - is aligned to more than two pointers: it would have another offset in the frame;
//  - has inaccessible members or constructors that the compiler calls, or consteval members without
//    parameters;
//  - returns an awaiter from initial_suspend or final_suspend that has such members, or defaulted
//    parameters;
//  - has several overloads of await_transform, of which some are private or deleted;
//  - has defaulted parameters in them, which may be the source location;
//  - is contained, and has allocation functions that only friends can call;
//  - is copied from the coroutine's only parameter;
//  - has a yield_value or a single await_transform without a twin, which returns an awaiter that
//    accepts handles of other promises;
//  - is contained, and has a yield_value, return_value or await_transform without an exact twin
//    (see coroutine/overloads.h). Exception: a return_value that is a template.
//
// The parts: coroutine/frame.h (events, and the search for the awaited task), coroutine/overloads.h
// (the overloads of the functions of a promise), coroutine/operator.h (operator co_await),
// coroutine/transform.h (overloads of await_transform), coroutine/awaiting.h (co_await),
// coroutine/yielding.h (co_yield), coroutine/promise.h (traced<P>).
//
// Names: the program's macros, such as T, are defined before this header is read. So all names are
// reserved, as in the standard library: `__name`, `_Name`, and `_Tp` for T; comments write name,
// Name and T. (headers/macros defines the others.)
//
// Invariants; each has a test in tests/adapters/coroutine_*test.cc:
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
//    If that finds one, others in the scope of the co_await are not considered.
//  - A constructor template of a promise is tried without arguments, too, and must compile.
//  - Frames are larger, also while recording is off, by 24 bytes and what g++ keeps of the awaiters:
//    a promise that takes its frames from blocks of a fixed size may find them too small. clang at
//    -O2 no longer puts a frame into that of its caller.
//  - A name coroutine_traits of the program is another one before and after <coroutine> is read.
//  - An awaiter with a defaulted parameter (which may be the source location), or with functions
//    that only a friend can call, is not traced: the task is suspended without a location until its
//    next recorded step. Of an awaiter whose await_suspend is a template or overloaded, a defaulted
//    parameter is not noticed, and is a location in this header.
//  - While recording, what() of a std::exception that leaves a coroutine is called once more.
//  - A source that imports <coroutine> from a module or as a header unit is not traced.
//  - With -include, the program's macros that configure the standard library or the system's
//    headers, such as _GLIBCXX_ASSERTIONS, _GLIBCXX_DEBUG and _POSIX_C_SOURCE, must be arguments of
//    the compiler: this header has read <version> before the first line of a source.
//  - A promise whose only constructor is variadic (...) does not compile with g++.
//  - Of defaulted parameters, those of type std::source_location are recognised; in constructors of
//    promises, those of any type with a static current(). There and in overloads of
//    await_transform, __builtin_LINE() and similar have a value of this header.
//  - An operand that operator co_await takes by value is moved once more, and must be movable; the
//    co_await allocates memory, even while recording is off. If operator co_await may take a base
//    class of the operand by value, the co_await is not traced.
//  - Awaiting a bit-field, a packed member, an overload set, 0 as a null pointer, or a static
//    constant without a definition requires a cast, unless P has exactly one await_transform.
//  - With g++ -O0, where a symmetric transfer is a call, stacks overflow at half the depth.
//  - If await_transform is a template or overloaded, and the operand may be converted, a co_await
//    allocates memory, even while recording is off. An object that is taken by value is moved once
//    more, if the overload is static, has a reference qualifier or a second parameter; or if it is
//    beside a template, and one that is no template accepts the operand in braces. A template whose
//    return type is deduced is compiled with the operand's type, although another overload may be
//    selected.
//  - An await_transform that is overloaded or a template, an operator co_await, and a contained
//    promise's return function do not compile if they are consteval; with clang, nor do consteval
//    functions of an awaiter that await_transform returns.
//  - If await_transform returns a reference to an awaiter, g++ 12 copies the awaiter; and in a
//    constructor template of a promise it deduces a wrong type for *this and for a lambda. With
//    this header it does neither.
//  - clang 14 takes a constrained await_transform(const X&) for better than one that takes an X by
//    value; with this header it calls the latter. Other compilers find them ambiguous.
//  - If it is not certain that the selected one of several overloads of await_transform has a
//    defaulted source location, this is a location in this header.
//  - An operand that selects a private overload of await_transform does not compile if another
//    overload is a template, or if no accessible one is the only one of its form (see only_one in
//    coroutine/overloads.h).
//  - If return_value of a contained promise is a template that is constrained to some types other
//    than the return type's first argument, and takes these by value, they are moved once more.
//  - If yield_value is a template, or some overload's parameter type is neither hinted (see
//    coroutine/overloads.h) nor the only one of its form, the task is suspended without a location
//    until its next recorded step. If only yields of other types than the return type's first
//    argument get an awaiter with a template await_suspend, it is instantiated with a promise
//    derived from P.
//  - A template yield_value, or return_value of a final promise, is compiled with the return type's
//    first argument and with P::value_type, if its return type is deduced.
//  - With clang, a constructor template of the only parameter of yield_value, return_value or
//    await_transform is tried with types of this header, and must compile or be constrained.
//  - With g++, an overload of await_transform with a deduced return type that is not a template, and
//    is deleted or not yet defined, does not compile beside other overloads: g++ rejects the address
//    of the overload set. Give it a return type: void await_transform(X) = delete.
//  - With C++23, a function of a promise with an explicit object parameter (this Self& self) may get
//    a class derived from P as Self.
//  - With clang, overloads of await_transform with a deduced return type are compiled, also those
//    whose constraints exclude them. With clang 14 and 16, two overloads of yield_value with the same
//    parameters, as in std::generator of a const reference, are an error.
//  - With clang, overloads of yield_value with a deduced return type are compiled although they are
//    not selected, if the return type's first argument and P::value_type can be copied. (Of those
//    that cannot, as in std::generator of std::unique_ptr, yields have no location.)
//  - With clang, a co_await whose await_resume is [[noreturn]] does not prevent -Wreturn-type.
//  - With clang and C++23, an object that await_ready returns, for a co_await in the range of a
//    range-based for loop, ends before the coroutine resumes and not after the loop.
//  - A program that uses the name `skein` for something global but a namespace, or defines functions
//    of skein/record.h such as skein_start, does not compile or link.
//  - A contained promise whose yield_value is overloaded, accepts neither a value of the return
//    type's first argument nor an int, a string or braces, and has no overload that is the only one
//    of its form, is not recognised as a generator: a yield compiles only if its argument is
//    exactly the parameter.
#ifndef SKEIN_COROUTINE_H
#define SKEIN_COROUTINE_H
#if !defined(SKEIN_DISABLE) && defined(__cplusplus) && __cplusplus > 201703L && \
    defined(__cpp_concepts) && (defined(__cpp_impl_coroutine) || defined(__cpp_coroutines))
#pragma GCC system_header  // no warnings in the user's build

#if defined(_GLIBCXX_COROUTINE) || defined(_LIBCPP_COROUTINE)
#error \
    "skein: skein/coroutine.h must come before <coroutine>; compile with -I and the folder skein/wrappers"
#endif

#pragma push_macro("new")  // the program's, if <coroutine> is not the first header
#undef new
#include <skein/link.h>

#include <version>

#define coroutine_traits skein_original_coroutine_traits
#if defined(__GLIBCXX__)
namespace std _GLIBCXX_VISIBILITY(default) {
  _GLIBCXX_BEGIN_NAMESPACE_VERSION
  inline namespace __n4861 {
  template <typename _Result, typename... _Arguments>
  struct coroutine_traits;
  template <typename _Promise>
  struct coroutine_handle;
  struct suspend_always;
  struct suspend_never;
  }  // namespace __n4861
  _GLIBCXX_END_NAMESPACE_VERSION
}  // namespace )
#else
#include <coroutine>
#endif
#undef coroutine_traits

// The headers differ between compilers, and with -fno-exceptions: the linker must not use the
// functions of one source for another.
#if !defined(__clang__)
#define SKEIN_DETAIL_COMPILER __detail
#elif __has_builtin(__builtin_source_location)
#define SKEIN_DETAIL_COMPILER __detail::inline __clang
#else
#define SKEIN_DETAIL_COMPILER __detail::inline __clang_14
#endif
#if defined(__cpp_exceptions)
#define SKEIN_DETAIL_NAMESPACE SKEIN_DETAIL_COMPILER
#else
#define SKEIN_DETAIL_NAMESPACE SKEIN_DETAIL_COMPILER::inline __no_exceptions
#endif
// g++ reports -Wnoexcept in system headers too, where a twin repeats an exception specification.
#pragma GCC diagnostic push
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wnoexcept"
#endif
#include <skein/coroutine/promise.h>
#pragma GCC diagnostic pop
#undef SKEIN_DETAIL_NAMESPACE
#undef SKEIN_DETAIL_COMPILER
#pragma pop_macro("new")

namespace std {
template <class _Rp, class... _Ap>
struct coroutine_traits {};
template <class _Rp, class... _Ap>
requires requires { typename skein_original_coroutine_traits<_Rp, _Ap...>::promise_type; }
struct coroutine_traits<_Rp, _Ap...> {
  using promise_type = typename ::skein::__detail::__promise_for<
      typename skein_original_coroutine_traits<_Rp, _Ap...>::promise_type, _Rp,
      ::skein::__detail::__plumbing<_Rp, _Ap...>, _Ap...>::__type;
};
}  // namespace std

// From here on, the name refers to the original template in specialisations and uses by libraries.
#define coroutine_traits skein_original_coroutine_traits
#endif
#endif
