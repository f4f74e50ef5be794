// Part of skein/coroutine.h: the overloads of the member functions of a promise.
//
// A member function of the library's promise is hidden only by functions with exactly its parameter
// types ("twins"). Then overload resolution selects the same overload, braced lists and conversions
// work, and temporaries are created where the untraced program creates them. A twin passes its
// parameter on, so its type is a reference or trivially copyable: a second move of another object
// would be observable, and its lifetime would end too early.
#ifndef SKEIN_COROUTINE_OVERLOADS_H
#define SKEIN_COROUTINE_OVERLOADS_H
#ifndef SKEIN_COROUTINE_H
#error "skein: include skein/coroutine.h"
#endif

namespace skein::detail {

template <class T>
T&& some() noexcept;
template <class T>
struct unreferenced {
  using type = T;
};
template <class T>
struct unreferenced<T&> : unreferenced<T> {};
template <class T>
struct unreferenced<T&&> : unreferenced<T> {};
template <class T>
struct bare {
  using type = T;
};
template <class T>
struct bare<T&> : bare<T> {};
template <class T>
struct bare<T&&> : bare<T> {};
template <class T>
struct bare<const T> : bare<T> {};

// A defaulted last parameter, so that a function does not override a virtual one of the library's
// promise.
enum class not_virtual {};

template <bool First, class A, class B>
struct choose {
  using type = A;
};
template <class A, class B>
struct choose<false, A, B> {
  using type = B;
};

template <class... X>
struct types {
  static constexpr unsigned size = sizeof...(X);
  template <class... Y>
  constexpr types<X..., Y...> operator+(types<Y...>) const {
    return {};
  }
};

// The parameter of a member function that has exactly one and that is neither overloaded nor a
// template.
template <class F>
struct signature;
#define SKEIN_DETAIL_SIGNATURE(...)           \
  template <class C, class R, class V>        \
  struct signature<R (C::*)(V) __VA_ARGS__> { \
    using parameter = V;                      \
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
  using parameter = V;
};
template <class R, class V>
struct signature<R (*)(V) noexcept> : signature<R (*)(V)> {};

// True if F is a pointer to a function without parameters.
template <class F>
inline constexpr bool is_nullary = false;
#define SKEIN_DETAIL_NULLARY(...) \
  template <class C, class R>     \
  inline constexpr bool is_nullary<R (C::*)() __VA_ARGS__> = true;
SKEIN_DETAIL_NULLARY()
SKEIN_DETAIL_NULLARY(const)
SKEIN_DETAIL_NULLARY(&)
SKEIN_DETAIL_NULLARY(const&)
SKEIN_DETAIL_NULLARY(noexcept)
SKEIN_DETAIL_NULLARY(const noexcept)
SKEIN_DETAIL_NULLARY(&noexcept)
SKEIN_DETAIL_NULLARY(const& noexcept)
#undef SKEIN_DETAIL_NULLARY
template <class R>
inline constexpr bool is_nullary<R (*)()> = true;
template <class R>
inline constexpr bool is_nullary<R (*)() noexcept> = true;

// True if a parameter of type X can be passed on without an observable difference.
template <class X>
inline constexpr bool passes_on = __is_trivially_copyable(X);
template <class X>
inline constexpr bool passes_on<X&> = true;
template <class X>
inline constexpr bool passes_on<X&&> = true;

// True if a parameter of class X is an object that the caller creates and destroys, and whose
// address it passes: X is "non-trivial for the purposes of calls" in the Itanium C++ ABI. False if
// in doubt, as with clang's trivial_abi.
template <class X>
inline constexpr bool passed_by_address = false;
template <class X>
requires requires { sizeof(X); }
inline constexpr bool passed_by_address<X> =
#if defined(__clang__) && __has_builtin(__is_trivially_relocatable)
    !__is_trivially_relocatable(X) &&
#endif
    !__is_trivially_copyable(X) &&
    (!__has_trivial_destructor(X) ||
     (__is_constructible(X, const X&) && !__is_trivially_constructible(X, const X&)));

// For each name: `names_NAME<P>`: P has a member function of this name. (Then the name is ambiguous
// in a class derived from P and from another class with that name. Of a final class, only a single
// accessible function is found.) `one_NAME<P>`: it is not overloaded, no template, accessible.
// `takes_NAME<P, A>`: it can be called. `has_NAME<P, R, X...>`: an overload has these parameter
// types and this return type; a template is compiled with these types if its return type is
// deduced. `exactly_NAME<P, X>`: it can be called with an X, and the selected overload has the
// parameter type X.
#define SKEIN_DETAIL_MEMBER(name)                               \
  struct name##_name {                                          \
    void name();                                                \
  };                                                            \
  template <class P>                                            \
  struct name##_probe : P, name##_name {};                      \
  template <class P, bool Final = __is_final(P)>                \
  inline constexpr bool names_##name = !requires {              \
    &name##_probe<P>::name;                                     \
  };                                                            \
  template <class P>                                            \
  inline constexpr bool names_##name<P, true> = requires {      \
    &P::name;                                                   \
  };                                                            \
  template <class P>                                            \
  concept one_##name = requires {                               \
    &P::name;                                                   \
  };                                                            \
  template <class P>                                            \
  concept unary_##name = requires {                             \
    typename signature<decltype(&P::name)>::parameter;          \
  };                                                            \
  template <class P, class A>                                   \
  concept takes_##name = requires(P & p, A(*a)()) {             \
    p.name(static_cast<A&&>(a()));                              \
  };                                                            \
  template <class P, class X>                                   \
  using name##_result = decltype(some<P&>().name(some<X>()));   \
  template <class P, class R, class... X>                       \
  concept has_##name = requires {                               \
    static_cast<R (P::*)(X...)>(&P::name);                      \
  }                                                             \
  || requires { static_cast<R (P::*)(X...) const>(&P::name); }  \
  || requires { static_cast<R (P::*)(X...)&>(&P::name); }       \
  || requires { static_cast<R (P::*)(X...) const&>(&P::name); } \
  || requires { static_cast<R (*)(X...)>(&P::name); };          \
  template <class P, class X>                                   \
  concept exactly_##name = takes_##name<P, X>&& has_##name<P, name##_result<P, X>, X>;
SKEIN_DETAIL_MEMBER(yield_value)
SKEIN_DETAIL_MEMBER(return_value)
SKEIN_DETAIL_MEMBER(await_transform)
#undef SKEIN_DETAIL_MEMBER

// ---- types that a promise is likely to accept ----

template <class T>
struct arguments_of {
  using type = types<>;
};
template <class T>
using hint = typename choose < requires {
  typename types<T&>;
}
, types<T>, types < >> ::type;
template <template <class...> class G, class... T>
struct arguments_of<G<T...>> {
  using type = decltype((types<>{} + ... + hint<typename bare<T>::type>{}));
};
template <class P>
constexpr auto value_type_hint() {
  if constexpr (requires { typename P::value_type; })
    return hint<typename bare<typename P::value_type>::type>{};
  else
    return types<>{};
}
// The arguments of the coroutine's return type, for example of generator<T>, and P::value_type.
template <class P, class R>
using hints = decltype(typename arguments_of<typename bare<R>::type>::type{} +
                       ::skein::detail::value_type_hint<P>());

// ---- which overloads of yield_value exist ----

// If one of these patterns matches exactly one overload, the deduction also proves that no overload
// is a template. Only then may the others be tried: a call of a template whose return type is
// deduced would compile its body. (In this deduction g++ does not distinguish T& from T&&, so that
// it proves nothing about a promise with both.)
#define SKEIN_DETAIL_ONLY(pattern, Type, ...)                               \
  template <class C, class R, class T, bool Noexcept>                       \
  types<Type> the_only_##pattern(R (C::*)(__VA_ARGS__) noexcept(Noexcept)); \
  template <class P>                                                        \
  constexpr auto pattern##_hint() {                                         \
    if constexpr (requires { the_only_##pattern(&P::yield_value); })        \
      return decltype(the_only_##pattern(&P::yield_value)){};               \
    else                                                                    \
      return types<>{};                                                     \
  }
SKEIN_DETAIL_ONLY(rvalue, T, T&&)
SKEIN_DETAIL_ONLY(const, T, const T&)
SKEIN_DETAIL_ONLY(lvalue, typename bare<T>::type, T&)
#undef SKEIN_DETAIL_ONLY
template <class P>
using pattern_hints =
    decltype(::skein::detail::rvalue_hint<P>() + ::skein::detail::const_hint<P>() +
             ::skein::detail::lvalue_hint<P>());
template <class P>
inline constexpr bool has_no_template_yield = pattern_hints<P>::size != 0;

// ---- an overload that is the only one of its form ----

// Forms of a member function: types<X>, for its parameter type X, if exactly one overload has the
// form and none is a template. (For a template, or two of the form, the deduction fails.)
template <unsigned Form>
struct only_one;
#define SKEIN_DETAIL_FORM(number, R, X, ...)                  \
  template <>                                                 \
  struct only_one<number> {                                   \
    template <class C, bool Noexcept, __VA_ARGS__>            \
    static types<X> of(R (C::*)(X) noexcept(Noexcept));       \
    template <class C, bool Noexcept, __VA_ARGS__>            \
    static types<X> of(R (C::*)(X) const noexcept(Noexcept)); \
  };
SKEIN_DETAIL_FORM(0, R, T&&, class R, class T)
SKEIN_DETAIL_FORM(1, R, const T&, class R, class T)
SKEIN_DETAIL_FORM(2, R, T&, class R, class T)
SKEIN_DETAIL_FORM(3, R, T*, class R, class T)
SKEIN_DETAIL_FORM(4, R, G<T...>, class R, template <class...> class G, class... T)
SKEIN_DETAIL_FORM(5, R, G<T...>&, class R, template <class...> class G, class... T)
SKEIN_DETAIL_FORM(6, R, G<T...>&&, class R, template <class...> class G, class... T)
SKEIN_DETAIL_FORM(7, R, const G<T...>&, class R, template <class...> class G, class... T)
SKEIN_DETAIL_FORM(8, R, int, class R)
SKEIN_DETAIL_FORM(9, R, unsigned long, class R)
SKEIN_DETAIL_FORM(10, R, double, class R)
SKEIN_DETAIL_FORM(11, std::suspend_always, T, class T)
SKEIN_DETAIL_FORM(12, std::suspend_never, T, class T)
SKEIN_DETAIL_FORM(13, G<U...>, T, class T, template <class...> class G, class... U)
inline constexpr unsigned kForms = 14;
#undef SKEIN_DETAIL_FORM
template <class P, unsigned Form>
using await_transform_of_form = decltype(only_one<Form>::of(&P::await_transform));
template <class P, unsigned Form>
using yield_value_of_form = decltype(only_one<Form>::of(&P::yield_value));

// The parameter of an overload of P's await_transform, if none is a template; types<>: unknown.
template <class P, unsigned Form = 0>
constexpr auto some_await_transform() {
  if constexpr (Form == kForms)
    return types<>{};
  else if constexpr (requires { typename await_transform_of_form<P, Form>; })
    return await_transform_of_form<P, Form>{};
  else
    return ::skein::detail::some_await_transform<P, Form + 1>();
}
// True if an overload of P's yield_value is the only one of some form.
template <class P, unsigned Form = 0>
constexpr bool has_yield_of_some_form() {
  if constexpr (Form == kForms)
    return false;
  else if constexpr (requires { typename yield_value_of_form<P, Form>; })
    return true;
  else
    return ::skein::detail::has_yield_of_some_form<P, Form + 1>();
}

// The parameter types X for which exactly_yield_value<P, X> is true, of the types T that are
// hinted.
template <class X, class... Known>
constexpr bool is_one_of(types<Known...>) {
  return (__is_same(X, Known) || ...);
}
template <class P, class X, class... Known>
constexpr auto with_exactly(types<Known...> known) {
  if constexpr (exactly_yield_value<P, X> && !::skein::detail::is_one_of<X>(types<Known...>{}))
    return types<Known..., X>{};
  else
    return known;
}
template <class P, class Known>
constexpr auto known_yields(types<>, Known known) {
  return known;
}
template <class P, class T, class... Rest, class Known>
constexpr auto known_yields(types<T, Rest...>, Known) {
  using A = decltype(::skein::detail::with_exactly<P, T>(Known{}));
  using B = decltype(::skein::detail::with_exactly<P, T&>(A{}));
  using C = decltype(::skein::detail::with_exactly<P, const T&>(B{}));
  using D = decltype(::skein::detail::with_exactly<P, T&&>(C{}));
  using E = decltype(::skein::detail::with_exactly<P, const T&&>(D{}));
  return ::skein::detail::known_yields<P>(types<Rest...>{}, E{});
}

// An argument that converts to X and to each type that is not in Known: if a call with it is not
// ambiguous, each overload has a parameter of a known type.
template <class X, class... Known>
struct known_or_any {
  operator X() const;
  template <class U>
  requires(!(__is_same(typename bare<U>::type, typename bare<Known>::type) || ...)) operator U&()
      const;
  template <class U>
  requires(!(__is_same(typename bare<U>::type, typename bare<Known>::type) || ...)) operator U&&()
      const;
};
// An argument that converts to every type but T.
template <class T>
struct any_but {
  template <class U>
  requires(!__is_same(typename bare<U>::type, T)) operator U() const;
};
struct unrelated {};  // accepted by an ellipsis, a template, and what converts from anything

// A class with exactly the known overloads.
template <class... X>
struct only_known {
  void yield_value();
};
template <class X, class... Rest>
struct only_known<X, Rest...> : only_known<Rest...> {
  using only_known<Rest...>::yield_value;
  void yield_value(X);
};
template <class P, class K, class A>
concept same_validity = takes_yield_value<P, A>
== takes_yield_value<K, A>;
template <class P, class K, class X>
concept same_arguments =  // an inaccessible overload would be selected for some of them
    same_validity<P, K, typename bare<X>::type&>&& same_validity<
        P, K, const typename bare<X>::type&>&& same_validity<P, K, typename bare<X>::type>&&
        same_validity<P, K, const typename bare<X>::type>;

// True if the overloads of P's yield_value are exactly those with these parameters.
template <class P, class... X>
constexpr bool are_all(types<X...>) {
  return (takes_yield_value<P, known_or_any<X, X...>> || ...) &&
         !takes_yield_value<P, unrelated&> && (same_arguments<P, only_known<X...>, X> && ...);
}

// The overloads of P's yield_value, if all are known; else types<>.
template <class P, class R>
constexpr auto all_yields() {
  if constexpr (unary_yield_value<P>) {
    return types<typename signature<decltype(&P::yield_value)>::parameter>{};
  } else if constexpr (has_no_template_yield<P>) {
    using Hints = decltype(pattern_hints<P>{} + hints<P, R>{});
    constexpr auto known = ::skein::detail::known_yields<P>(Hints{}, types<>{});
    if constexpr (::skein::detail::are_all<P>(known))
      return known;
    else
      return types<>{};
  } else {
    return types<>{};
  }
}

// True if a value of the first hinted type can be yielded. The others are not tried, because they
// may not compile with a template.
template <class P>
constexpr bool yields_first(types<>) {
  return false;
}
template <class P, class T, class... Rest>
constexpr bool yields_first(types<T, Rest...>) {
  if constexpr (takes_yield_value<P, T>)
    return true;
  else
    return takes_yield_value<P, T&>;
}

}  // namespace skein::detail

#endif  // SKEIN_COROUTINE_OVERLOADS_H
