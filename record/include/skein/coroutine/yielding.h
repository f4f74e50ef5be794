// Part of skein/coroutine.h: which overloads of yield_value are traced, and how.
#ifndef SKEIN_COROUTINE_YIELDING_H
#define SKEIN_COROUTINE_YIELDING_H
#ifndef SKEIN_COROUTINE_H
#error "skein: include skein/coroutine.h"
#endif

#include <skein/coroutine/awaiting.h>

namespace skein::SKEIN_DETAIL_NAMESPACE {

// The parameter types of the twins of P's yield_value: those of all its overloads, or none. The
// untraced overloads of a promise are inherited: its generators are traced with less detail.
template <class _Pp, class... _Xp>
constexpr auto __twins_for(__types<_Xp...> __all) {
  if constexpr (((__passes_on<_Xp> && __takes_yield_value<_Pp, _Xp>)&&...))
    return __all;
  else
    return __types<>{};
}
template <class _Pp, class _Rp>
using __yield_twins =
    decltype(::skein::__detail::__twins_for<_Pp>(::skein::__detail::__all_yields<_Pp, _Rp>()));

// True if P is the promise of a generator: a value can be yielded. The yield_value of some tasks
// accepts only errors.
template <class _Pp, class _Rp>
inline constexpr bool __is_generator =
    decltype(::skein::__detail::__all_yields<_Pp, _Rp>())::__size != 0 ||
    ::skein::__detail::__yields_first<_Pp>(
        decltype(::skein::__detail::__value_type_hint<_Pp>()){}) ||
    ::skein::__detail::__yields_first<_Pp>(__hints<_Pp, _Rp>{});

// True if P is contained and has a yield_value, as far as that can be found out. Braces are tried
// because they select no template: the body of a template may not compile with other types.
struct __any_value {
  template <class _Tp>
  operator _Tp() const;
};
template <class _Pp, class _Rp>
inline constexpr bool __final_yields = __names_yield_value<_Pp> || __has_no_template_yield<_Pp> ||
                                       ::skein::__detail::__has_yield_of_some_form<_Pp>() ||
                                       __is_generator<_Pp, _Rp> || requires(_Pp& __p) {
  __p.yield_value({});
}
|| requires(_Pp& __p) { __p.yield_value({__any_value{}}); }
|| requires(_Pp& __p) { __p.yield_value({0}); }
|| requires(_Pp& __p) { __p.yield_value({""}); };

// An overload of a contained promise that is not found: exact for an argument whose reference is
// the parameter, so that no temporary is created.
template <class _Pp, class _Vp>
concept __binds_yield_value = __exactly_yield_value<_Pp, _Vp&&> ||
    __exactly_yield_value<_Pp, const typename __bare<_Vp>::__type&>;

// The library's promise in a promise `traced`, which may be incomplete.
template <class _Pp, class _Base, uint32_t _Kind, class... _Yielded>
struct __traced;
template <class _Dp>
struct __promise_in;
template <class _Pp, class _Base, uint32_t _Kind, class... _Yielded>
struct __promise_in<__traced<_Pp, _Base, _Kind, _Yielded...>> {
  using __type = _Pp;
};

// Base, with a twin of yield_value for each parameter type X. D: the promise `traced`.
template <class _Dp, class _Base, class... _Xp>
struct __yielding : _Base {
  using _Base::_Base;
};
struct __undetected {};
template <class _Dp, class _Base>
struct __yielding<_Dp, _Base, __undetected> : _Base {
  using _Base::_Base;
  template <class _Vp>
  requires __binds_yield_value<typename _Base::skein_boxed_type, _Vp>
  auto yield_value(_Vp&& __v) { return static_cast<_Dp*>(this)->template skein_yield<_Vp&&>(__v); }
};
template <class _Dp, class _Base, class _Xp>
struct __yielding<_Dp, _Base, _Xp> : _Base {
  using _Base::_Base;
  auto yield_value(_Xp __x, __not_virtual = {}) requires(
      !__yields_immediately<typename __promise_in<_Dp>::__type, _Xp>) {
    return static_cast<_Dp*>(this)->template skein_yield<_Xp>(__x);
  }
  consteval decltype(auto) yield_value(_Xp __x, __not_virtual = {}) requires
      __yields_immediately<typename __promise_in<_Dp>::__type, _Xp> {
    return static_cast<_Dp*>(this)->skein_inner().yield_value(static_cast<_Xp&&>(__x));
  }
};
template <class _Dp, class _Base, class _Xp, class _Next, class... _Rest>
struct __yielding<_Dp, _Base, _Xp, _Next, _Rest...> : __yielding<_Dp, _Base, _Next, _Rest...> {
  using __yielding<_Dp, _Base, _Next, _Rest...>::__yielding;
  using __yielding<_Dp, _Base, _Next, _Rest...>::yield_value;
  auto yield_value(_Xp __x, __not_virtual = {}) requires(
      !__yields_immediately<typename __promise_in<_Dp>::__type, _Xp>) {
    return static_cast<_Dp*>(this)->template skein_yield<_Xp>(__x);
  }
  consteval decltype(auto) yield_value(_Xp __x, __not_virtual = {}) requires
      __yields_immediately<typename __promise_in<_Dp>::__type, _Xp> {
    return static_cast<_Dp*>(this)->skein_inner().yield_value(static_cast<_Xp&&>(__x));
  }
};

}  // namespace skein::SKEIN_DETAIL_NAMESPACE

#endif  // SKEIN_COROUTINE_YIELDING_H
