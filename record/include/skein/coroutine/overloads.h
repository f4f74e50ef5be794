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

namespace skein::SKEIN_DETAIL_NAMESPACE {

template <class _Tp>
_Tp&& __some() noexcept;
template <class _Tp>
struct __unreferenced {
  using __type = _Tp;
};
template <class _Tp>
struct __unreferenced<_Tp&> : __unreferenced<_Tp> {};
template <class _Tp>
struct __unreferenced<_Tp&&> : __unreferenced<_Tp> {};
template <class _Tp>
struct __bare {
  using __type = _Tp;
};
template <class _Tp>
struct __bare<_Tp&> : __bare<_Tp> {};
template <class _Tp>
struct __bare<_Tp&&> : __bare<_Tp> {};
template <class _Tp>
struct __bare<const _Tp> : __bare<_Tp> {};

// A defaulted last parameter, so that a function does not override a virtual one of the library's
// promise.
enum class __not_virtual {};

template <bool _First, class _Ap, class _Bp>
struct __choose {
  using __type = _Ap;
};
template <class _Ap, class _Bp>
struct __choose<false, _Ap, _Bp> {
  using __type = _Bp;
};

template <class... _Xp>
struct __types {
  static constexpr unsigned __size = sizeof...(_Xp);
  template <class... _Yp>
  constexpr __types<_Xp..., _Yp...> operator+(__types<_Yp...>) const {
    return {};
  }
};

// The parameter of a member function that has exactly one and that is neither overloaded nor a
// template.
template <class _Fp>
struct __signature;
#define SKEIN_DETAIL_SIGNATURE(...)                   \
  template <class _Cp, class _Rp, class _Vp>          \
  struct __signature<_Rp (_Cp::*)(_Vp) __VA_ARGS__> { \
    using __parameter = _Vp;                          \
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
template <class _Rp, class _Vp>
struct __signature<_Rp (*)(_Vp)> {
  using __parameter = _Vp;
};
template <class _Rp, class _Vp>
struct __signature<_Rp (*)(_Vp) noexcept> : __signature<_Rp (*)(_Vp)> {};

// True if F is a pointer to a function without parameters.
template <class _Fp>
inline constexpr bool __is_nullary = false;
#define SKEIN_DETAIL_NULLARY(...) \
  template <class _Cp, class _Rp> \
  inline constexpr bool __is_nullary<_Rp (_Cp::*)() __VA_ARGS__> = true;
SKEIN_DETAIL_NULLARY()
SKEIN_DETAIL_NULLARY(const)
SKEIN_DETAIL_NULLARY(&)
SKEIN_DETAIL_NULLARY(const&)
SKEIN_DETAIL_NULLARY(noexcept)
SKEIN_DETAIL_NULLARY(const noexcept)
SKEIN_DETAIL_NULLARY(&noexcept)
SKEIN_DETAIL_NULLARY(const& noexcept)
#undef SKEIN_DETAIL_NULLARY
template <class _Rp>
inline constexpr bool __is_nullary<_Rp (*)()> = true;
template <class _Rp>
inline constexpr bool __is_nullary<_Rp (*)() noexcept> = true;

// True if the function C::name, which the program calls for an object with these arguments, is
// consteval. (clang rejects its address as a constant, g++ a call with an argument that is none,
// also in a part of an expression that is not evaluated. The comma makes clang select an overload
// before it deduces return types, of which one may not compile if its constraints are not
// satisfied.)
template <auto>
struct __constant;
#define SKEIN_DETAIL_UNKNOWN(T) (static_cast<T (*)()>(nullptr)())
#if defined(__clang__)
#define SKEIN_DETAIL_IMMEDIATE(C, object, name, ...) \
  (                                                  \
      requires { &C::name; } &&                      \
      !requires { typename __constant<(static_cast<void>(0), &C::name)>; })
#else
#define SKEIN_DETAIL_IMMEDIATE(C, object, name, ...)                                     \
  (!requires {                                                                           \
    typename __constant<(false ? (static_cast<void>(object.name(__VA_ARGS__)), 0) : 1)>; \
  })
#endif

// True if a parameter of type X can be passed on without an observable difference.
template <class _Xp>
inline constexpr bool __passes_on = __is_trivially_copyable(_Xp);
template <class _Xp>
inline constexpr bool __passes_on<_Xp&> = true;
template <class _Xp>
inline constexpr bool __passes_on<_Xp&&> = true;

// True if a parameter of class X is an object that the caller creates and destroys, and whose
// address it passes: X is "non-trivial for the purposes of calls" in the Itanium C++ ABI. False if
// in doubt, as with clang's trivial_abi.
template <class _Xp>
inline constexpr bool __passed_by_address = false;
template <class _Xp>
requires requires { sizeof(_Xp); }
inline constexpr bool __passed_by_address<_Xp> =
#if defined(__clang__) && __has_builtin(__is_trivially_relocatable)
    !__is_trivially_relocatable(_Xp) &&
#endif
    !__is_trivially_copyable(_Xp) &&
    (!__has_trivial_destructor(_Xp) ||
     (__is_constructible(_Xp, const _Xp&) && !__is_trivially_constructible(_Xp, const _Xp&)));

// True if no class can be derived from P.
template <class _Pp>
inline constexpr bool __underivable = __is_final(_Pp) || __is_union(_Pp);
// True if P has a virtual base, which its most derived class constructs. Such a class has a pointer
// to its virtual table even without a virtual function, and a class derived from it, if it has one,
// needs no other (Itanium C++ ABI, 2.4).
template <class _Pp>
struct __with_virtual : _Pp {
  virtual void skein_virtual();
};
template <class _Pp>
inline constexpr bool __has_virtual_base =
    !__is_polymorphic(_Pp) && !__is_empty(_Pp) && sizeof(__with_virtual<_Pp>) == sizeof(_Pp);
// True if a promise P is a member of the promise that the compiler sees, not a base class: none can
// be derived, or typeid(promise) or the construction of a virtual base would be another.
template <class _Pp>
inline constexpr bool __contained = __is_polymorphic(_Pp) || __has_virtual_base<_Pp>;
template <class _Pp>
requires __underivable<_Pp>
inline constexpr bool __contained<_Pp> = true;

// An argument that converts to X and to each type that is not in Known: if a call with it is not
// ambiguous, each overload has a parameter of a known type.
template <class _Xp, class... _Known>
struct __known_or_any {
  operator _Xp() const;
  template <class _Up>
  requires(!(__is_same(typename __bare<_Up>::__type, typename __bare<_Known>::__type) || ...))
  operator _Up&() const;
  template <class _Up>
  requires(!(__is_same(typename __bare<_Up>::__type, typename __bare<_Known>::__type) || ...))
  operator _Up&&() const;
};
struct __unrelated {};  // accepted by an ellipsis, a template, and what converts from anything

// With clang, &P::NAME is the most constrained of several overloads. `alone_NAME<P, X>`: calls with
// all kinds of arguments have the results of a single function with the parameter type X. (Other
// expressions would compile functions whose constraints are not satisfied, to deduce their return
// types.)
#if defined(__clang__)
template <class _Up>
struct __temporary_or_const {
  operator _Up&&() const;
  operator const _Up&() const;
};
struct __rivals_result {};
#define SKEIN_DETAIL_ALONE(__name)                                                                 \
  template <class _Xp>                                                                             \
  struct __##__name##_only {                                                                       \
    void __name(_Xp);                                                                              \
  };                                                                                               \
  template <class _Pp>                                                                             \
  struct __##__name##_rival : _Pp {                                                                \
    using _Pp::__name;                                                                             \
    template <class _Up>                                                                           \
    __rivals_result __name(_Up&);                                                                  \
  };                                                                                               \
  template <class _Pp, class _Xp, class _Ap>                                                       \
  concept __alike_##__name =                                                                       \
      (__takes_##__name<_Pp, _Ap> ==                                                               \
       __takes_##__name<__##__name##_only<_Xp>, _Ap>)&&(!__takes_##__name<_Pp, _Ap> || requires {  \
        requires __is_same(__##__name##_result<_Pp, _Ap>, __##__name##_result<_Pp, _Xp>);          \
      });                                                                                          \
  template <class _Pp, class _Xp, class _Up = typename __bare<_Xp>::__type>                        \
  concept __alone_##__name =                                                                       \
      __takes_##__name<_Pp, _Xp>&& __takes_##__name<_Pp, __known_or_any<_Xp, _Xp>> &&              \
      !__takes_##__name<_Pp, __unrelated&> && __alike_##__name<_Pp, _Xp, _Up&> &&                  \
      __alike_##__name<_Pp, _Xp, const _Up&> && __alike_##__name<_Pp, _Xp, _Up> &&                 \
      __alike_##__name<_Pp, _Xp, const _Up> &&                                                     \
      (!__is_same(_Xp, const _Up&) ||                                                              \
       (__takes_##__name<_Pp, __temporary_or_const<_Up>> && (__underivable<_Pp> || requires {      \
          requires __is_same(__##__name##_result<__##__name##_rival<_Pp>, _Up&>, __rivals_result); \
        })));                                                                                      \
  template <class _Pp>                                                                             \
  concept __one_##__name = requires {                                                              \
    &_Pp::__name;                                                                                  \
  }                                                                                                \
  &&(                                                                                              \
      !requires { typename __signature<decltype(&_Pp::__name)>::__parameter; } ||                  \
      requires {                                                                                   \
        requires __alone_##__name<_Pp, typename __signature<decltype(&_Pp::__name)>::__parameter>; \
      });
#else
#define SKEIN_DETAIL_ALONE(__name)    \
  template <class _Pp>                \
  concept __one_##__name = requires { \
    &_Pp::__name;                     \
  };
#endif

// For each name: `names_NAME<P>`: P has a member function of this name. (Then the name is ambiguous
// in a class derived from P and from another class with that name. Of an underivable class, only a
// single accessible function is found.) `one_NAME<P>`: it is not overloaded, no template,
// accessible. `takes_NAME<P, A>`: it can be called. `has_NAME<P, R, X...>`: an overload has these
// parameter types and this return type; a template is compiled with these types if its return type
// is deduced. `exactly_NAME<P, X>`: it can be called with an X, and the selected overload has the
// parameter type X.
#define SKEIN_DETAIL_MEMBER(__name)                                           \
  struct __##__name##_name {                                                  \
    void __name();                                                            \
  };                                                                          \
  template <class _Pp>                                                        \
  struct __##__name##_probe : _Pp, __##__name##_name {};                      \
  template <class _Pp, bool _Final = __underivable<_Pp>>                      \
  inline constexpr bool __names_##__name = !requires {                        \
    &__##__name##_probe<_Pp>::__name;                                         \
  };                                                                          \
  template <class _Pp>                                                        \
  inline constexpr bool __names_##__name<_Pp, true> = requires {              \
    &_Pp::__name;                                                             \
  };                                                                          \
  template <class _Pp, class _Ap>                                             \
  concept __takes_##__name = requires(_Pp & __p, _Ap(*__a)()) {               \
    __p.__name(static_cast<_Ap&&>(__a()));                                    \
  };                                                                          \
  template <class _Pp, class _Xp>                                             \
  using __##__name##_result = decltype(__some<_Pp&>().__name(__some<_Xp>())); \
  SKEIN_DETAIL_ALONE(__name)                                                  \
  template <class _Pp>                                                        \
  concept __unary_##__name = __one_##__name<_Pp>&& requires {                 \
    typename __signature<decltype(&_Pp::__name)>::__parameter;                \
  };                                                                          \
  template <class _Pp, class _Rp, class... _Xp>                               \
  concept __has_##__name = requires {                                         \
    static_cast<_Rp (_Pp::*)(_Xp...)>(&_Pp::__name);                          \
  }                                                                           \
  || requires { static_cast<_Rp (_Pp::*)(_Xp...) const>(&_Pp::__name); }      \
  || requires { static_cast<_Rp (_Pp::*)(_Xp...)&>(&_Pp::__name); }           \
  || requires { static_cast<_Rp (_Pp::*)(_Xp...) const&>(&_Pp::__name); }     \
  || requires { static_cast<_Rp (*)(_Xp...)>(&_Pp::__name); };                \
  template <class _Pp, class _Xp>                                             \
  concept __exactly_##__name =                                                \
      __takes_##__name<_Pp, _Xp>&& __has_##__name<_Pp, __##__name##_result<_Pp, _Xp>, _Xp>;
SKEIN_DETAIL_MEMBER(yield_value)
SKEIN_DETAIL_MEMBER(return_value)
SKEIN_DETAIL_MEMBER(await_transform)
#undef SKEIN_DETAIL_MEMBER
#undef SKEIN_DETAIL_ALONE
// True if the overload of yield_value for an X, or P's only await_transform, is consteval. (Not
// concepts: g++ evaluates those of a consteval function as a part of it.)
template <class _Pp, class _Xp>
inline constexpr bool __yields_immediately = SKEIN_DETAIL_IMMEDIATE(_Pp, SKEIN_DETAIL_UNKNOWN(_Pp&),
                                                                    yield_value,
                                                                    SKEIN_DETAIL_UNKNOWN(_Xp));
template <class _Pp, class _Xp>
inline constexpr bool __transforms_immediately = SKEIN_DETAIL_IMMEDIATE(_Pp,
                                                                        SKEIN_DETAIL_UNKNOWN(_Pp&),
                                                                        await_transform,
                                                                        SKEIN_DETAIL_UNKNOWN(_Xp));

// ---- types that a promise is likely to accept ----

template <class _Tp>
struct __arguments_of {
  using __type = __types<>;
};
template <class _Tp>
using __hint = typename __choose < requires {
  typename __types<_Tp&>;
}
, __types<_Tp>, __types < >> ::__type;
template <template <class...> class _Gp, class... _Tp>
struct __arguments_of<_Gp<_Tp...>> {
  using __type = decltype((__types<>{} + ... + __hint<typename __bare<_Tp>::__type>{}));
};
template <class _Pp>
constexpr auto __value_type_hint() {
  if constexpr (requires { typename _Pp::value_type; })
    return __hint<typename __bare<typename _Pp::value_type>::__type>{};
  else
    return __types<>{};
}
// The arguments of the coroutine's return type, for example of generator<T>, and P::value_type.
template <class _Pp, class _Rp>
using __hints = decltype(typename __arguments_of<typename __bare<_Rp>::__type>::__type{} +
                         ::skein::__detail::__value_type_hint<_Pp>());

// ---- which overloads of yield_value exist ----

// If one of these patterns matches exactly one overload, the deduction also proves that no overload
// is a template. Only then may the others be tried: a call of a template whose return type is
// deduced would compile its body. (In this deduction g++ does not distinguish T& from T&&, so that
// it proves nothing about a promise with both.)
#define SKEIN_DETAIL_ONLY(__pattern, _Type, ...)                                        \
  template <class _Cp, class _Rp, class _Tp, bool _Noexcept>                            \
  __types<_Type> __the_only_##__pattern(_Rp (_Cp::*)(__VA_ARGS__) noexcept(_Noexcept)); \
  template <class _Pp>                                                                  \
  constexpr auto __##__pattern##_hint() {                                               \
    if constexpr (requires { __the_only_##__pattern(&_Pp::yield_value); })              \
      return decltype(__the_only_##__pattern(&_Pp::yield_value)){};                     \
    else                                                                                \
      return __types<>{};                                                               \
  }
SKEIN_DETAIL_ONLY(rvalue, _Tp, _Tp&&)
SKEIN_DETAIL_ONLY(const, _Tp, const _Tp&)
SKEIN_DETAIL_ONLY(lvalue, typename __bare<_Tp>::__type, _Tp&)
#undef SKEIN_DETAIL_ONLY
template <class _Pp>
using __pattern_hints =
    decltype(::skein::__detail::__rvalue_hint<_Pp>() + ::skein::__detail::__const_hint<_Pp>() +
             ::skein::__detail::__lvalue_hint<_Pp>());
template <class _Pp>
inline constexpr bool __has_no_template_yield = __pattern_hints<_Pp>::__size != 0;

// ---- an overload that is the only one of its form ----

// Forms of a member function: types<X>, for its parameter type X, if exactly one overload has the
// form and none is a template. (For a template, or two of the form, the deduction fails.)
template <unsigned _Form>
struct __only_one;
#define SKEIN_DETAIL_FORM(__number, _Rp, _Xp, ...)                         \
  template <>                                                              \
  struct __only_one<__number> {                                            \
    template <class _Cp, bool _Noexcept, __VA_ARGS__>                      \
    static __types<_Xp> __of(_Rp (_Cp::*)(_Xp) noexcept(_Noexcept));       \
    template <class _Cp, bool _Noexcept, __VA_ARGS__>                      \
    static __types<_Xp> __of(_Rp (_Cp::*)(_Xp) const noexcept(_Noexcept)); \
  };
SKEIN_DETAIL_FORM(0, _Rp, _Tp&&, class _Rp, class _Tp)
SKEIN_DETAIL_FORM(1, _Rp, const _Tp&, class _Rp, class _Tp)
SKEIN_DETAIL_FORM(2, _Rp, _Tp&, class _Rp, class _Tp)
SKEIN_DETAIL_FORM(3, _Rp, _Tp*, class _Rp, class _Tp)
SKEIN_DETAIL_FORM(4, _Rp, _Gp<_Tp...>, class _Rp, template <class...> class _Gp, class... _Tp)
SKEIN_DETAIL_FORM(5, _Rp, _Gp<_Tp...>&, class _Rp, template <class...> class _Gp, class... _Tp)
SKEIN_DETAIL_FORM(6, _Rp, _Gp<_Tp...>&&, class _Rp, template <class...> class _Gp, class... _Tp)
SKEIN_DETAIL_FORM(7, _Rp, const _Gp<_Tp...>&, class _Rp, template <class...> class _Gp,
                  class... _Tp)
SKEIN_DETAIL_FORM(8, _Rp, int, class _Rp)
SKEIN_DETAIL_FORM(9, _Rp, unsigned long, class _Rp)
SKEIN_DETAIL_FORM(10, _Rp, double, class _Rp)
SKEIN_DETAIL_FORM(11, std::suspend_always, _Tp, class _Tp)
SKEIN_DETAIL_FORM(12, std::suspend_never, _Tp, class _Tp)
SKEIN_DETAIL_FORM(13, _Gp<_Up...>, _Tp, class _Tp, template <class...> class _Gp, class... _Up)
inline constexpr unsigned _KForms = 14;
#undef SKEIN_DETAIL_FORM
template <class _Pp, unsigned _Form>
using __await_transform_of_form = decltype(__only_one<_Form>::__of(&_Pp::await_transform));
template <class _Pp, unsigned _Form>
using __yield_value_of_form = decltype(__only_one<_Form>::__of(&_Pp::yield_value));

// The parameter of an overload of P's await_transform, if none is a template; types<>: unknown.
template <class _Pp, unsigned _Form = 0>
constexpr auto __some_await_transform() {
  if constexpr (_Form == _KForms)
    return __types<>{};
  else if constexpr (requires { typename __await_transform_of_form<_Pp, _Form>; })
    return __await_transform_of_form<_Pp, _Form>{};
  else
    return ::skein::__detail::__some_await_transform<_Pp, _Form + 1>();
}
// True if an overload of P's yield_value is the only one of some form.
template <class _Pp, unsigned _Form = 0>
constexpr bool __has_yield_of_some_form() {
  if constexpr (_Form == _KForms)
    return false;
  else if constexpr (requires { typename __yield_value_of_form<_Pp, _Form>; })
    return true;
  else
    return ::skein::__detail::__has_yield_of_some_form<_Pp, _Form + 1>();
}

// The parameter types X for which exactly_yield_value<P, X> is true, of the types T that are
// hinted.
template <class _Xp, class... _Known>
constexpr bool __is_one_of(__types<_Known...>) {
  return (__is_same(_Xp, _Known) || ...);
}
template <class _Pp, class _Xp, class... _Known>
constexpr auto __with_exactly(__types<_Known...> __known) {
  if constexpr (__exactly_yield_value<_Pp, _Xp> &&
                !::skein::__detail::__is_one_of<_Xp>(__types<_Known...>{}))
    return __types<_Known..., _Xp>{};
  else
    return __known;
}
template <class _Pp, class _Known>
constexpr auto __known_yields(__types<>, _Known __known) {
  return __known;
}
template <class _Pp, class _Tp, class... _Rest, class _Known>
constexpr auto __known_yields(__types<_Tp, _Rest...>, _Known) {
  using _Ap = decltype(::skein::__detail::__with_exactly<_Pp, _Tp>(_Known{}));
  using _Bp = decltype(::skein::__detail::__with_exactly<_Pp, _Tp&>(_Ap{}));
  using _Cp = decltype(::skein::__detail::__with_exactly<_Pp, const _Tp&>(_Bp{}));
  using _Dp = decltype(::skein::__detail::__with_exactly<_Pp, _Tp&&>(_Cp{}));
  using _Ep = decltype(::skein::__detail::__with_exactly<_Pp, const _Tp&&>(_Dp{}));
  return ::skein::__detail::__known_yields<_Pp>(__types<_Rest...>{}, _Ep{});
}

// An argument that converts to every type but T.
template <class _Tp>
struct __any_but {
  template <class _Up>
  requires(!__is_same(typename __bare<_Up>::__type, _Tp)) operator _Up() const;
};

// A class with exactly the known overloads.
template <class... _Xp>
struct __only_known {
  void yield_value();
};
template <class _Xp, class... _Rest>
struct __only_known<_Xp, _Rest...> : __only_known<_Rest...> {
  using __only_known<_Rest...>::yield_value;
  void yield_value(_Xp);
};
template <class _Pp, class _Kp, class _Ap>
concept __same_validity = __takes_yield_value<_Pp, _Ap>
== __takes_yield_value<_Kp, _Ap>;
template <class _Pp, class _Kp, class _Xp>
concept __same_arguments =  // an inaccessible overload would be selected for some of them
    __same_validity<_Pp, _Kp, typename __bare<_Xp>::__type&>&&
        __same_validity<_Pp, _Kp, const typename __bare<_Xp>::__type&>&&
            __same_validity<_Pp, _Kp, typename __bare<_Xp>::__type>&&
                __same_validity<_Pp, _Kp, const typename __bare<_Xp>::__type>;

// True if the overloads of P's yield_value are exactly those with these parameters.
template <class _Pp, class... _Xp>
constexpr bool __are_all(__types<_Xp...>) {
  return (__takes_yield_value<_Pp, __known_or_any<_Xp, _Xp...>> || ...) &&
         !__takes_yield_value<_Pp, __unrelated&> &&
         (__same_arguments<_Pp, __only_known<_Xp...>, _Xp> && ...);
}

#if defined(__clang__)
// Whether a T has a copy constructor; and whether that compiles, as far as is known: that of a
// container of objects that cannot be copied does not.
template <class _Tp>
inline constexpr bool __seems_copied = true;
template <class _Tp>
requires requires { sizeof(_Tp); }
inline constexpr bool __seems_copied<_Tp> = __is_constructible(_Tp, const _Tp&);
template <class _Tp>
inline constexpr bool __copied = __seems_copied<typename __bare<_Tp>::__type>;
template <template <class...> class _Gp, class... _Tp>
inline constexpr bool __copied<_Gp<_Tp...>> = __seems_copied<_Gp<_Tp...>> && (__copied<_Tp> && ...);
template <class... _Tp>
constexpr bool __only_seem_copied(__types<_Tp...>) {
  return ((__seems_copied<_Tp> && !__copied<_Tp>) || ...);
}
template <class... _Tp>
constexpr bool __are_copied(__types<_Tp...>) {
  return (__copied<_Tp> && ...);
}
#endif

// The overloads of P's yield_value, if all are known; else types<>. (In the search clang compiles
// those with a deduced return type, although their constraints may not be satisfied. They are
// constrained to values that can be copied, as in std::generator; and copy them.)
template <class _Pp, class _Rp>
constexpr auto __all_yields() {
#if defined(__clang__)
  if constexpr (::skein::__detail::__only_seem_copied(__hints<_Pp, _Rp>{})) {
    return __types<>{};
  } else
#endif
      if constexpr (__unary_yield_value<_Pp>) {
    return __types<typename __signature<decltype(&_Pp::yield_value)>::__parameter>{};
#if defined(__clang__)
  } else if constexpr (!::skein::__detail::__are_copied(__hints<_Pp, _Rp>{})) {
    return __types<>{};
#endif
  } else if constexpr (__has_no_template_yield<_Pp>) {
    using _Hints = decltype(__pattern_hints<_Pp>{} + __hints<_Pp, _Rp>{});
    constexpr auto __known = ::skein::__detail::__known_yields<_Pp>(_Hints{}, __types<>{});
    if constexpr (::skein::__detail::__are_all<_Pp>(__known))
      return __known;
    else
      return __types<>{};
  } else {
    return __types<>{};
  }
}

// True if a value of the first hinted type can be yielded. The others are not tried, because they
// may not compile with a template.
template <class _Pp>
constexpr bool __yields_first(__types<>) {
  return false;
}
template <class _Pp, class _Tp, class... _Rest>
constexpr bool __yields_first(__types<_Tp, _Rest...>) {
  if constexpr (__takes_yield_value<_Pp, _Tp>)
    return true;
  else
    return __takes_yield_value<_Pp, _Tp&>;
}

}  // namespace skein::SKEIN_DETAIL_NAMESPACE

#endif  // SKEIN_COROUTINE_OVERLOADS_H
