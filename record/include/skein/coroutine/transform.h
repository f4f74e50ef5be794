// Part of skein/coroutine.h: which overload of await_transform an operand of co_await selects, if
// there are several or a template, and calls of it.
//
// The overloads cannot be listed. But the type of the result is known, and a conversion of
// &P::await_transform finds out whether an overload with a given parameter type has this result.
#ifndef SKEIN_COROUTINE_TRANSFORM_H
#define SKEIN_COROUTINE_TRANSFORM_H
#ifndef SKEIN_COROUTINE_H
#error "skein: include skein/coroutine.h"
#endif

#include <skein/coroutine/frame.h>
#include <skein/coroutine/overloads.h>

#include <new>

namespace skein::detail {

struct nothing {};
#if __has_builtin(__builtin_source_location)
using source_location = std::source_location;
#else
using source_location = nothing;
#endif

// ---- overloads for a friend ----
//
// Overload resolution ignores access. So an operand that converts to a known parameter, and to each
// inaccessible one, is ambiguous or rejected if there is an inaccessible one.

template <class X>
struct converts_to {
  operator X() const;
};
template <class P, class X>
concept takes_new_object = requires {
  sizeof(X);
  typename bare<X()>;
  requires !__is_abstract(X);
  requires takes_await_transform<P, converts_to<X>>;
};
// True if P has an overload for an X, perhaps a reference, and it cannot be called here.
template <class P, class X>
concept hides_overload = !(takes_new_object<P, X> || takes_await_transform<P, X&&> ||
                           takes_await_transform<P, X&> || takes_await_transform<P, const X&>) ||
                         (takes_await_transform<P, const X&> && !takes_new_object<P, X> &&
                          !takes_await_transform<P, X&&>);
template <class P, class Known>
struct known_or_hidden {
  operator Known() const;
  template <class X>
  requires hides_overload<P, X>
  operator X() const;
  template <class X>
  requires hides_overload<P, X>
  operator X&() const;
  template <class X>
  requires hides_overload<P, X>
  operator const X&() const;
  template <class X>
  requires hides_overload<P, X>
  operator X&&() const;
};
template <class P, class... Known>
constexpr bool some_overload_is_hidden(types<Known...>) {
  return (... || !takes_await_transform<P, known_or_hidden<P, Known>>);
}
// True if P has several overloads, and some are private or deleted. False if that is unknown: one
// is a template, or each accessible one has the form of another.
template <class P>
constexpr bool hides_await_transform() {
  if constexpr (one_await_transform<P>)
    return false;
  else
    return ::skein::detail::some_overload_is_hidden<P>(::skein::detail::some_await_transform<P>());
}

// ---- an object that is taken by value ----

// The overload with the parameter type X that returns R; void: none. Of a template, only that for X
// is compiled.
template <class R, class P, class X>
constexpr auto object_overload() {
  if constexpr (requires { static_cast<R (P::*)(X)>(&P::await_transform); })
    return static_cast<R (P::*)(X)>(&P::await_transform);
  else if constexpr (requires { static_cast<R (P::*)(X) const>(&P::await_transform); })
    return static_cast<R (P::*)(X) const>(&P::await_transform);
}
// Calls this overload with the object x as its parameter, without a copy: functions with a
// parameter of type X or X& are called in the same way. As without skein, the caller of traced code
// destroys x.
template <class X, class R, class P>
#if defined(__clang__)
__attribute__((no_sanitize("cfi-mfcall")))
#endif
inline decltype(auto)
call_in_place(P& p, X& x) {
  constexpr auto overload = ::skein::detail::object_overload<R, P, X>();
  if constexpr (__is_same(decltype(overload), R(P::*const)(X)))
    return (p.*reinterpret_cast<R (P::*)(X&)>(overload))(x);
  else
    return (p.*reinterpret_cast<R (P::*)(X&) const>(overload))(x);
}

// True if no overload is a template (else the deduction fails), and exactly one has these parameter
// types.
template <class... X>
struct parameters {
  template <class C, class R, bool Noexcept>
  static void of(R (C::*)(X...) noexcept(Noexcept));
  template <class C, class R, bool Noexcept>
  static void of(R (C::*)(X...) const noexcept(Noexcept));
};
template <class P, class... X>
concept has_no_template_but = requires {
  parameters<X...>::of(&P::await_transform);
};
template <class A>
A object_of() noexcept;  // unlike some<A>(), a temporary
template <class P, class X>
using object_result = decltype(some<P&>().await_transform(::skein::detail::object_of<X>()));

// True if an operand A is not accepted, or by a template that returns R: all others would accept it
// in braces.
template <class P, class A, class R>
concept takes_by_template =
    !takes_await_transform<P, A> || (__is_same(await_transform_result<P, A>, R) &&
                                     !requires(P & p) { p.await_transform({some<A>()}); });
template <class P, class X, class R, class... More>
concept has_reference_to =
    has_await_transform<P, R, X&&, More...> || has_await_transform<P, R, X&, More...> ||
    has_await_transform<P, R, const X&, More...> || has_await_transform<P, R, const X&&, More...>;
// True if there is only one template, as far as its first argument can be X.
template <class P, class X>
concept has_one_template = requires {
  typename bare<decltype(&P::template await_transform<X>)>;
};
template <class P, class X, class R>
concept takes_any_object = requires {
  static_cast<R (P::*)(X)>(&P::template await_transform<X>);
}
|| requires { static_cast<R (P::*)(X) const>(&P::template await_transform<X>); };
template <class P, class X, class R>
concept takes_object_as_const = requires {
  static_cast<R (P::*)(X) const>(&P::await_transform);
};
// True if another overload takes a reference to X, and may be better than the one that takes an X
// by value: because that is a template for any type, or const. (The first is not tried for
// references: the same template would be compiled for them.)
template <class P, class X, class R>
concept may_be_worse = (takes_any_object<P, X, R> && !has_one_template<P, X>) ||
                       (!takes_any_object<P, X, R> && takes_object_as_const<P, X, R> &&
                        (has_reference_to<P, X, R> || has_reference_to<P, X, R, source_location>));
// True if each operand of type X selects an overload that takes an X by value. One that cannot be
// moved, but is accepted as a temporary, does in any case.
template <class P, class X, class R>
concept takes_object =
    !__is_same(decltype(::skein::detail::object_overload<R, P, X>()), void) &&
    (!takes_await_transform<P, X> ||
     ((has_no_template_but<P, X> || (takes_by_template<P, X, R> && takes_by_template<P, X&, R> &&
                                     takes_by_template<P, const X&, R>)) &&
      !may_be_worse<P, X, R>));
template <class P, class X>
concept awaits_object = passed_by_address<X> && requires {
  requires takes_object<P, X, object_result<P, X>>;
};

// ---- an operand that is passed on by reference ----

// True if an overload accepts a const T& and More. A template's parameter must be declared as such:
// as a T&, it would accept a const T only. (Concepts, so that no template is compiled for a type
// that is tried after the right one.)
template <class P, class R, class T, class... More>
concept takes_const = has_no_template_but<P, const T&, More...> || requires {
  static_cast<R (P::*)(const T&, More...)>(&P::template await_transform<T>);
} || requires {
  static_cast<R (P::*)(const T&, More...) const>(&P::template await_transform<T>);
};
template <class P, class R, class A, class T, class... More>
concept takes_reference = has_await_transform<P, R, A&&, More...> || takes_const<P, R, T, More...>;
// True if the selected overload has a second parameter for the source location. It is defaulted,
// because the compiler passes one argument. False if the operand may be converted: with two
// arguments, another overload could be selected.
#if __has_builtin(__builtin_source_location)
template <class P, class R, class A, class T>
concept takes_location_exactly =
    (has_await_transform<P, R, T, source_location> ||
     takes_reference<P, R, A, T, source_location>)&&!has_await_transform<P, R, T> &&
    !has_reference_to<P, T, R>;
template <class P, class A>
concept takes_location = requires(P& p, source_location here) {
  p.await_transform(some<A>());
  p.await_transform(some<A>(), here);
  requires takes_location_exactly < P, await_transform_result<P, A>, A,
  typename unreferenced<A>::type > ;
};
#else
template <class P, class A>
concept takes_location = false;
#endif
// True if P is the promise of Asio's awaitable: its templates have another, defaulted parameter.
template <class P>
concept is_asio_promise = requires(P& p) {
  p.attach_thread(p.detach_thread());
  p.pop_frame();
};
template <class P, class R, class T>
concept takes_copy = has_await_transform<P, R, T> ||
    has_await_transform<P, R, T, source_location> ||
    (is_asio_promise<P>&& has_await_transform<P, R, T, void*>);
template <class P, class R, class A, class T>
concept takes_operand = takes_reference<P, R, A, T> ||
    takes_reference<P, R, A, T, source_location> ||
    (is_asio_promise<P>&& takes_reference<P, R, A, T, int>);
// True if the operand A is known to reach the selected overload without a conversion to an object
// that has an observable lifetime: an overload accepts exactly A, so that any better one does too.
// False if in doubt, and for arrays and functions: their conversion to a pointer is an exact match.
template <class P, class A>
constexpr bool binds_operand() {
  using T = typename unreferenced<A>::type;
  if constexpr (!takes_await_transform<P, A>)  // P has none
    return true;
  else if constexpr (!requires { typename bare<T()>; })
    return false;
  else if constexpr (takes_copy<P, await_transform_result<P, A>, T>)
    return __is_trivially_copyable(T);  // else the parameter's lifetime would end too early
  else
    return takes_operand<P, await_transform_result<P, A>, A, T>;
}

// ---- an operand that may be converted ----
//
// The object that the operand is converted to must live until the awaiting coroutine resumes, and
// its type cannot be found out. So the call is made in another coroutine, which is suspended in the
// middle of the expression, and destroyed after the awaiter:
//
//    awaiting coroutine                             keep()
//    +--- ... --+-----------+---------+-- ... --+   +-- ... --+------------------+--------+
//    | operand  | kept_call | awaiter |         |   |         | converted object | result |
//    +--- ... --+-----------+---------+-- ... --+   +-- ... --+------------------+--------+
//
// Cost: one allocation. Rejected: an argument of a class with a conversion operator template, which
// reveals the type. It would also be accepted by templates, and these may not compile with it.

struct pause {
  bool await_ready() const noexcept { return false; }
  template <class H>
  void await_suspend(H) const noexcept {}
  void await_resume() const noexcept {}
};

// The return object of keep(), for a result of type T. (A template: std::coroutine_handle may be
// incomplete.)
template <class T>
struct keeper {
  struct promise_type {
    typename unreferenced<T>::type* result;
    keeper get_return_object() noexcept {
      return {std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    pause initial_suspend() noexcept { return {}; }
    pause final_suspend() noexcept { return {}; }
    pause await_transform(T&& r) noexcept {
      result = __builtin_addressof(r);
      return {};
    }
    void return_void() noexcept {}
    void unhandled_exception() {
#if defined(__cpp_exceptions)
      throw;
#endif
    }
    // Not the program's operator new, which may count its calls.
    static void* operator new(unsigned long size) {
      if (void* frame = __builtin_malloc(size)) return frame;
#if defined(__cpp_exceptions)
      throw std::bad_alloc();
#else
      __builtin_abort();
#endif
    }
    static void operator delete(void* frame) { __builtin_free(frame); }
  };
  std::coroutine_handle<promise_type> handle;
};
template <class T, class P, class A>
inline keeper<T> keep(P& p, A&& a, place here) {
#if __has_builtin(__builtin_source_location)
  if constexpr (takes_location<P, A>)
    co_await p.await_transform(static_cast<A&&>(a), here.location());
  else
#endif
    co_await p.await_transform(static_cast<A&&>(a));
}

// A call of P's await_transform, with result type T, in a full-expression that lasts as long as
// this object.
template <class T>
class kept_call {
 public:
  template <class P, class A>
  kept_call(P& p, A&& a, place here)
      : owner_{::skein::detail::keep<T>(p, static_cast<A&&>(a), here).handle.address()} {
    handle().resume();
  }
  T&& result() { return static_cast<T&&>(*handle().promise().result); }

 private:
  using Handle = std::coroutine_handle<typename keeper<T>::promise_type>;
  // Destroyed if the constructor throws. If unhandled_exception throws, clang 16 and older destroy
  // the awaiters of the last suspension again with the coroutine.
  struct owner {
    void* volatile frame;
    explicit owner(void* f) : frame(f) {}
    owner(const owner&) = delete;
    ~owner() {
      void* f = frame;
      frame = nullptr;
      if (f != nullptr) Handle::from_address(f).destroy();
    }
  };
  Handle handle() const { return Handle::from_address(owner_.frame); }
  owner owner_;
};

}  // namespace skein::detail

#endif  // SKEIN_COROUTINE_TRANSFORM_H
