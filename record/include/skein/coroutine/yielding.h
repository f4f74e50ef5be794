// Part of skein/coroutine.h: which overloads of yield_value are traced, and how.
#ifndef SKEIN_COROUTINE_YIELDING_H
#define SKEIN_COROUTINE_YIELDING_H
#ifndef SKEIN_COROUTINE_H
#error "skein: include skein/coroutine.h"
#endif

#include <skein/coroutine/awaiting.h>

namespace skein::detail {

// The parameter types of the twins of P's yield_value: those of all its overloads, or none. The
// untraced overloads of a promise are inherited: its generators are traced with less detail.
template <class P, class... X>
constexpr auto twins_for(types<X...> all) {
  if constexpr (((passes_on<X> && takes_yield_value<P, X>)&&...))
    return all;
  else
    return types<>{};
}
template <class P, class R>
using yield_twins = decltype(::skein::detail::twins_for<P>(::skein::detail::all_yields<P, R>()));

// True if P is the promise of a generator: a value can be yielded. The yield_value of some tasks
// accepts only errors.
template <class P, class R>
inline constexpr bool is_generator =
    decltype(::skein::detail::all_yields<P, R>())::size != 0 ||
    ::skein::detail::yields_first<P>(decltype(::skein::detail::value_type_hint<P>()){}) ||
    ::skein::detail::yields_first<P>(hints<P, R>{});

// True if P is final and has a yield_value, as far as that can be found out. Braces are tried
// because they select no template: the body of a template may not compile with other types.
struct any_value {
  template <class T>
  operator T() const;
};
template <class P, class R>
inline constexpr bool final_yields =
    names_yield_value<P> || has_no_template_yield<P> ||
    ::skein::detail::has_yield_of_some_form<P>() || is_generator<P, R> || requires(P& p) {
  p.yield_value({});
}
|| requires(P& p) { p.yield_value({any_value{}}); }
|| requires(P& p) { p.yield_value({0}); }
|| requires(P& p) { p.yield_value({""}); };

// An overload of a final promise that is not found: exact for an argument whose reference is
// the parameter, so that no temporary is created.
template <class P, class V>
concept binds_yield_value =
    exactly_yield_value<P, V&&> || exactly_yield_value<P, const typename bare<V>::type&>;

// Base, with a twin of yield_value for each parameter type X. D: the promise `traced`.
template <class D, class Base, class... X>
struct yielding : Base {
  using Base::Base;
};
struct undetected {};
template <class D, class Base>
struct yielding<D, Base, undetected> : Base {
  using Base::Base;
  template <class V>
  requires binds_yield_value<typename Base::skein_boxed_type, V>
  auto yield_value(V&& v) { return static_cast<D*>(this)->template skein_yield<V&&>(v); }
};
template <class D, class Base, class X>
struct yielding<D, Base, X> : Base {
  using Base::Base;
  auto yield_value(X x, not_virtual = {}) {
    return static_cast<D*>(this)->template skein_yield<X>(x);
  }
};
template <class D, class Base, class X, class Next, class... Rest>
struct yielding<D, Base, X, Next, Rest...> : yielding<D, Base, Next, Rest...> {
  using yielding<D, Base, Next, Rest...>::yielding;
  using yielding<D, Base, Next, Rest...>::yield_value;
  auto yield_value(X x, not_virtual = {}) {
    return static_cast<D*>(this)->template skein_yield<X>(x);
  }
};

}  // namespace skein::detail

#endif  // SKEIN_COROUTINE_YIELDING_H
