// Part of skein/coroutine.h: the promise that the compiler sees instead of the library's.
#ifndef SKEIN_COROUTINE_PROMISE_H
#define SKEIN_COROUTINE_PROMISE_H
#ifndef SKEIN_COROUTINE_H
#error "skein: include skein/coroutine.h"
#endif

#include <skein/coroutine/awaiting.h>
#include <skein/coroutine/yielding.h>

#include <new>

namespace skein::detail {

// A final promise as the first member, with the members that the compiler looks up.
template <class P>
struct box {
  P skein_promise;

  box() requires requires { P(); }
  = default;
  template <class... A>
  requires(sizeof...(A) > 0 && requires(A & ... a) { P(a...); }) explicit box(A&... a)
      : skein_promise(a...) {}
  decltype(auto) get_return_object() { return skein_promise.get_return_object(); }
  void yield_value();  // named by a using-declaration in `yielding`
};
template <class P>
concept returns_void = requires(P& p) {
  p.return_void();
};
template <class P>
struct box_returning_void : box<P> {
  using box<P>::box;
  void return_void() { this->skein_promise.return_void(); }
};
template <class P>
struct box_returning_value : box<P> {
  using box<P>::box;
  template <class V>
  auto return_value(V&& v) -> decltype(some<P&>().return_value(static_cast<V&&>(v))) {
    return this->skein_promise.return_value(static_cast<V&&>(v));
  }
};
// Allocates as the compiler would for P.
template <class P, class B>
struct box_allocating : B {
  using B::B;
  static void* operator new(unsigned long size) {
    if constexpr (requires { P::operator new(size); })
      return P::operator new(size);
    else
      return ::operator new(size);
  }
  template <class First, class... Rest>
  requires requires(unsigned long n, First& f, Rest&... r) { P::operator new(n, f, r...); }
  static void* operator new(unsigned long size, First& first, Rest&... rest) {
    return P::operator new(size, first, rest...);
  }
  static void operator delete(void* p, unsigned long size) {
    if constexpr (requires { P::operator delete(p, size); })
      P::operator delete(p, size);
    else if constexpr (requires { P::operator delete(p); })
      P::operator delete(p);
    else
      ::operator delete(p);
  }
};
template <class P>
concept falls_back = requires {
  P::get_return_object_on_allocation_failure();
};
template <class P, class B>
struct box_falling_back : B {
  using B::B;
  static auto get_return_object_on_allocation_failure() {
    return P::get_return_object_on_allocation_failure();
  }
  static void* operator new(unsigned long size, const std::nothrow_t& tag) noexcept {
    if constexpr (requires { P::operator new(size, tag); })
      return P::operator new(size, tag);
    else if constexpr (requires { P::operator new(size); })
      return P::operator new(size);
    else
      return ::operator new(size, tag);
  }
  static void* operator new(unsigned long size) noexcept {
    return operator new(size, std::nothrow);
  }
  template <class First, class... Rest>
  requires requires(unsigned long n, First& f, Rest&... r) { P::operator new(n, f, r...); }
  static void* operator new(unsigned long size, First& first, Rest&... rest) noexcept {
    return P::operator new(size, first, rest...);
  }
  static void operator delete(void* p, unsigned long size) { B::operator delete(p, size); }
};

template <bool First, class A, class B>
struct choose {
  using type = A;
};
template <class A, class B>
struct choose<false, A, B> {
  using type = B;
};
template <class P>
struct boxed {
  using returning =
      typename choose<returns_void<P>, box_returning_void<P>, box_returning_value<P>>::type;
  using allocating = box_allocating<P, returning>;
  using type = typename choose<falls_back<P>, box_falling_back<P, allocating>, allocating>::type;
};

// Base: P, or a box with a P.
template <class P, class Base, class... Yielded>
struct traced : yielding<traced<P, Base, Yielded...>, Base, Yielded...> {
  using yielding<traced, Base, Yielded...>::yielding;
  using skein_promise_type = P;
  static constexpr uint32_t kSkeinKind =
      ::skein::detail::yields<P> ? SKEIN_KIND_generator : SKEIN_KIND_coroutine;
  ::skein::detail::frame skein_frame;

  ~traced() {
    if (skein_frame.task.id != 0 && skein_frame.previous != kEnded && skein_enabled())
      skein_cancel(&skein_frame.task);
  }

#if defined(__GNUC__) && !defined(__clang__)
  // g++ has the function's readable name only here; in initial_suspend it is
  // "void f(f(int)::_Z1fi.Frame*)". The line is that of the closing brace in both.
  decltype(auto) get_return_object(::skein::detail::place where = SKEIN_DETAIL_PLACE) {
    __builtin_memcpy(&skein_frame.previous, &where, sizeof where);
    return skein_inner().get_return_object();
  }
  auto initial_suspend(const char* name = __builtin_FUNCTION()) {
    ::skein::detail::place where;
    __builtin_memcpy(&where, &skein_frame.previous, sizeof where);
#else
  auto initial_suspend(::skein::detail::place where = SKEIN_DETAIL_PLACE,
                       const char* name = __builtin_FUNCTION()) {
#endif
    skein_frame.previous = reinterpret_cast<uintptr_t>(name);
    using T = decltype(some<P&>().initial_suspend());
    return ::skein::detail::traced_awaiter<traced, step::initial, T, false>(
        this, where, skein_inner(), from_initial{});
  }
  auto final_suspend() noexcept {
    if (skein_enabled()) ::skein::detail::ended(skein_frame);
    using T = decltype(some<P&>().final_suspend());
    return ::skein::detail::traced_awaiter<traced, step::final, T, false>(
        this, ::skein::detail::place{}, skein_inner(), from_final{});
  }
  void unhandled_exception() noexcept(noexcept(some<P&>().unhandled_exception())) {
    if (skein_frame.task.id != 0 && skein_enabled()) ::skein::detail::failed(skein_frame);
    skein_inner().unhandled_exception();
  }
  template <class A>
  decltype(auto) await_transform(A&& a, ::skein::detail::place where = SKEIN_DETAIL_PLACE) {
    using T = decltype(::skein::detail::awaitable_of(some<P&>(), some<A>()));
    if constexpr (::skein::detail::awaitable<T>)
      return ::skein::detail::traced_awaiter < traced, step::await, T,
             ::skein::detail::is_task_object<A> ||
                 ::skein::detail::is_task_object < T >>
                     (this, where, skein_inner(), static_cast<A&&>(a));
    else
      return ::skein::detail::awaitable_of(skein_inner(), static_cast<A&&>(a));
  }
  template <class X>
  auto skein_yield(typename unreferenced<X>::type& x) {
    return ::skein::detail::traced_awaiter<traced, step::yield, yield_result<P, X>, false>(
        this, ::skein::detail::place{}, skein_inner(), static_cast<X&&>(x), from_yield{});
  }

 private:
  P& skein_inner() noexcept {
    if constexpr (__is_final(P))
      return this->skein_promise;
    else
      return *this;
  }
};

// Specialise as true for a library's internal coroutines, which are then not traced.
template <class R, class... A>
inline constexpr bool plumbing = false;

// The promise that the compiler sees. P itself, untraced, if it cannot be wrapped: its alignment
// would change its offset, or it is final with one yield_value that has no twin.
template <class P, class Twins>
struct promise_of {
  using type = P;
};
template <class P, class... X>
requires(!__is_final(P)) struct promise_of<P, types<X...>> {
  using type = traced<P, P, X...>;
};
template <class P, class... X>
requires(__is_final(P) && yields_one_way<P> &&
         sizeof...(X) == 1) struct promise_of<P, types<X...>> {
  using type = traced<P, typename boxed<P>::type, X...>;
};
template <class P, class... X>
requires(__is_final(P) && !yields_one_way<P>) struct promise_of<P, types<X...>> {
  using type = traced<P, typename boxed<P>::type, X..., anything>;
};
template <class P, class R, bool Plain>
struct promise_for {
  using type = P;
};
template <class P, class R>
requires(alignof(P) <= 2 * sizeof(void*)) struct promise_for<P, R, false> {
  using type = typename promise_of<P, decltype(::skein::detail::twins_of<P, R>())>::type;
};

}  // namespace skein::detail

namespace std {
// The handle passed to the awaiter of a yield without a twin. It records the suspension when it is
// converted to the handle type that the promise's awaiter uses; later conversions record nothing.
template <class P, class... X>
struct coroutine_handle<::skein::detail::traced<P, P, X...>> {
  using promise_type = ::skein::detail::traced<P, P, X...>;
  using Untyped = coroutine_handle<typename ::skein::detail::choose<true, void, P>::type>;
  constexpr coroutine_handle() noexcept = default;
  constexpr coroutine_handle(decltype(nullptr)) noexcept {}
  static constexpr coroutine_handle from_address(void* address) noexcept {
    coroutine_handle handle;
    handle.address_ = address;
    return handle;
  }
  static coroutine_handle from_promise(promise_type& p) noexcept {
    return from_address(coroutine_handle<P>::from_promise(p).address());
  }
  constexpr void* address() const noexcept { return address_; }
  constexpr explicit operator bool() const noexcept { return address_ != nullptr; }
  bool done() const noexcept { return inner().done(); }
  void operator()() const { operator coroutine_handle<P>().resume(); }
  void resume() const { operator coroutine_handle<P>().resume(); }
  void destroy() const { inner().destroy(); }
  promise_type& promise() const { return static_cast<promise_type&>(inner().promise()); }
  operator coroutine_handle<P>() const noexcept {
    report_suspension();
    return inner();
  }
  operator Untyped() const noexcept {
    report_suspension();
    return inner();
  }

 private:
  coroutine_handle<P> inner() const noexcept { return coroutine_handle<P>::from_address(address_); }
  void report_suspension() const noexcept {
    if (address_ != nullptr && skein_enabled())
      ::skein::detail::suspended_unreported(promise().skein_frame);
  }
  void* address_ = nullptr;
};
}  // namespace std

#endif  // SKEIN_COROUTINE_PROMISE_H
