// Part of skein/coroutine.h: which overloads of yield_value are traced, and how.
#ifndef SKEIN_COROUTINE_YIELDING_H
#define SKEIN_COROUTINE_YIELDING_H
#ifndef SKEIN_COROUTINE_H
#error "skein: include skein/coroutine.h"
#endif

#include <skein/coroutine/awaiting.h>

namespace skein::detail {

// True if the promise has a yield_value: then the name is ambiguous in a class derived from P and
// from another class with that name.
struct yield_value_name {
  void yield_value();
};
template <class P>
struct yield_probe : P, yield_value_name {};
template <class P, bool Final = __is_final(P)>
inline constexpr bool yields = !requires {
  &yield_probe<P>::yield_value;
};
template <class P>
inline constexpr bool yields<P, true> = requires {
  &P::yield_value;
};

// Overload resolution must select the same overload as in the untraced promise: a braced list has
// no type, and the object that an argument is converted to must live until the coroutine resumes. A
// template that accepts any argument would change both. Instead, each known yield_value is hidden
// by a twin with the same parameter type. A single yield_value is known by its address. Of several,
// those are known whose parameter type is T, T&, const T& or T&& for a hinted T: an argument of the
// return type (generator<T>), the promise's value_type, and the T of the only overload of one of
// these forms. Other overloads are not traced.

template <class... X>
struct types {
  template <class... Y>
  constexpr types<X..., Y...> operator+(types<Y...>) const {
    return {};
  }
};

template <class F>
struct signature;  // of the single yield_value
#define SKEIN_DETAIL_SIGNATURE(...)           \
  template <class C, class R, class V>        \
  struct signature<R (C::*)(V) __VA_ARGS__> { \
    using parameters = types<V>;              \
  };
SKEIN_DETAIL_SIGNATURE()
SKEIN_DETAIL_SIGNATURE(const)
SKEIN_DETAIL_SIGNATURE(&)
SKEIN_DETAIL_SIGNATURE(const&)
SKEIN_DETAIL_SIGNATURE(noexcept)
SKEIN_DETAIL_SIGNATURE(const noexcept)
SKEIN_DETAIL_SIGNATURE(&noexcept)
SKEIN_DETAIL_SIGNATURE(const& noexcept)
#undef SKEIN_DETAIL_SIGNATURE
template <class R, class V>
struct signature<R (*)(V)> {
  using parameters = types<V>;
};
template <class R, class V>
struct signature<R (*)(V) noexcept> : signature<R (*)(V)> {};
template <class P>
concept yields_one_way = requires {
  typename signature<decltype(&P::yield_value)>::parameters;
};

// True if a twin can pass its parameter on to the original.
template <class P, class X>
concept can_yield = requires(P& p, X (*x)()) {
  p.yield_value(static_cast<X&&>(x()));
};
template <class P, class X>
using yield_result = decltype(some<P&>().yield_value(some<X>()));
template <class P, class X>
concept yields_exactly = can_yield<P, X> &&(
    requires { static_cast<yield_result<P, X> (P::*)(X)>(&P::yield_value); } ||
    requires { static_cast<yield_result<P, X> (P::*)(X) const>(&P::yield_value); });

template <class C, class R, class T>
types<T> the_only_rvalue(R (C::*)(T&&));
template <class C, class R, class T>
types<T> the_only_const(R (C::*)(const T&));
template <class T>
struct arguments_of {
  using type = types<>;
};
template <template <class...> class G, class... T>
struct arguments_of<G<T...>> {
  using type = types<typename bare<T>::type...>;
};
template <class R>
constexpr auto return_hints() {
  return typename arguments_of<typename bare<R>::type>::type{};
}
template <class P>
constexpr auto type_hints() {
  if constexpr (requires { typename P::value_type; })
    return types<typename bare<typename P::value_type>::type>{};
  else
    return types<>{};
}
template <class P>
constexpr auto rvalue_hints() {
  if constexpr (requires { the_only_rvalue(&P::yield_value); })
    return decltype(the_only_rvalue(&P::yield_value)){};
  else
    return types<>{};
}
template <class P>
constexpr auto const_hints() {
  if constexpr (requires { the_only_const(&P::yield_value); })
    return decltype(the_only_const(&P::yield_value)){};
  else
    return types<>{};
}

template <class P, class X>
constexpr auto exactly() {
  if constexpr (::skein::detail::yields_exactly<P, X>)
    return types<X>{};
  else
    return types<>{};
}
template <class P, class T>
constexpr auto exactly_of() {
  if constexpr (!requires { typename types<T&>; })
    return types<>{};
  else if constexpr (::skein::detail::yields_exactly<P, T>)
    return types<T>{};
  else
    return ::skein::detail::exactly<P, T&>() + ::skein::detail::exactly<P, const T&>() +
           ::skein::detail::exactly<P, T&&>();
}
template <class P, class... T>
constexpr auto exactly_of_any(types<T...>) {
  return (types<>{} + ... + ::skein::detail::exactly_of<P, T>());
}
template <class P, class R>
constexpr auto twins_of() {
  if constexpr (!__is_final(P) && !::skein::detail::yields<P>) {
    return types<>{};
  } else if constexpr (::skein::detail::yields_one_way<P>) {
    constexpr auto one = []<class X>(types<X>) {
      if constexpr (::skein::detail::can_yield<P, X>)
        return types<X>{};
      else
        return types<>{};
    };
    return one(typename signature<decltype(&P::yield_value)>::parameters{});
  } else {
    return ::skein::detail::exactly_of_any<P>(
        ::skein::detail::return_hints<R>() + ::skein::detail::type_hints<P>() +
        ::skein::detail::rvalue_hints<P>() + ::skein::detail::const_hints<P>());
  }
}

// Base, which has a yield_value, with a twin for each parameter type X. D: the promise `traced`.
template <class D, class Base, class... X>
struct yielding : Base {
  using Base::Base;
};
template <class D, class Base, class X, class... Rest>
struct yielding<D, Base, X, Rest...> : yielding<D, Base, Rest...> {
  using yielding<D, Base, Rest...>::yielding;
  using yielding<D, Base, Rest...>::yield_value;
  auto yield_value(X x) { return static_cast<D*>(this)->template skein_yield<X>(x); }
};

// For a final promise with more than one yield_value: the twins, and a template for the others.
struct anything {};
template <class D, class Base>
struct yielding<D, Base, anything> : Base {
  using Base::Base;
  template <class V>
  requires requires(Base& b, V&& v) { b.skein_promise.yield_value(static_cast<V&&>(v)); }
  auto yield_value(V&& v) { return static_cast<D*>(this)->template skein_yield<V&&>(v); }
};

}  // namespace skein::detail

#endif  // SKEIN_COROUTINE_YIELDING_H
