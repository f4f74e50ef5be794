// Part of skein/coroutine.h: which operator co_await an operand has, and how that takes it.
#ifndef SKEIN_COROUTINE_OPERATOR_H
#define SKEIN_COROUTINE_OPERATOR_H
#ifndef SKEIN_COROUTINE_H
#error "skein: include skein/coroutine.h"
#endif

#include <skein/coroutine/overloads.h>

namespace skein::SKEIN_DETAIL_NAMESPACE {

template <class _Tp>
concept __has_member_co_await = requires(_Tp&& __t) {
  static_cast<_Tp&&>(__t).operator co_await();
};
template <class _Tp>
concept __has_free_co_await = requires(_Tp&& __t) {
  operator co_await(static_cast<_Tp&&>(__t));
};
// True if a free operator co_await takes T by a conversion to its parameter, whose result lives
// until the end of the co_await if the compiler makes the call. It is not called with an object
// that converts to T only, but with one that converts to what can be made of T.
//
// A template that accepts anything would accept these objects, and be compiled for them if its
// return type is deduced. It accepts T itself, too, without a conversion. With another such
// template beside it, the call is ambiguous, and no body is compiled. (The int: no G<X...> accepts
// them.)
template <class _Tp, int = 0>
struct __only {
  operator _Tp&&() const;
};
template <class _Tp, int = 0>
struct __made_from {
  template <class _Up>
  requires(!__is_same(typename __bare<_Up>::__type, typename __bare<_Tp>::__type) &&
           __is_constructible(typename __bare<_Up>::__type, _Tp))
  operator _Up&&() const;
};
template <class _Tp, class _Value>
struct __as_category {
  using __type = _Value;
};
template <class _Tp, class _Value>
struct __as_category<_Tp&, _Value> {
  using __type = _Value&;
};
namespace __beside_template {
template <class _Up, class = int>
void operator co_await(_Up);
template <class _Tp>
concept __is_taken = !requires(_Tp && __t) {
  operator co_await(static_cast<_Tp&&>(__t));
};
}  // namespace __beside_template
template <class _Tp>
concept __taken_by_template =
    __beside_template::__is_taken<typename __as_category<_Tp, __only<_Tp>>::__type> ||
    __beside_template::__is_taken<typename __as_category<_Tp, __made_from<_Tp>>::__type>;
template <class _Tp>
concept __converts_for_co_await =
    __has_free_co_await<_Tp> && !__taken_by_template<_Tp> && !requires(__only<_Tp> __t) {
  operator co_await(__t);
}
&&requires(__made_from<_Tp> __t) { operator co_await(__t); };

// ---- an operand that is taken by value ----
//
// If a free operator co_await takes its operand by value, the parameter must live until the
// awaiting coroutine resumes. Its declaration cannot be found out: it may be a template. But a
// function that takes an object accepts lvalues, const or not, and is then no worse than this
// template. One that takes a reference accepts one of the two at most, or is worse for one of them.
struct __competitor {};
namespace __competing {
template <class _Up>
__competitor operator co_await(_Up&);
template <class _Tp>
inline constexpr bool __wins = false;
template <class _Tp>
requires requires(_Tp& __t) { operator co_await(__t); }
inline constexpr bool __wins<_Tp> =
    __is_same(decltype(operator co_await(__some<_Tp&>())), __competitor);
}  // namespace __competing

// A function that takes T's base class, by value or not, is worse than this template for every kind
// of T, for which one that takes T itself is as good for at least one of them.
namespace __competing_for_all {
template <class _Up>
__competitor operator co_await(_Up&&);
template <class _Tp>
inline constexpr bool __wins = false;
template <class _Tp>
requires requires(_Tp&& __t) { operator co_await(static_cast<_Tp&&>(__t)); }
inline constexpr bool __wins<_Tp> =
    __is_same(decltype(operator co_await(__some<_Tp>())), __competitor);
}  // namespace __competing_for_all

// True if a free operator co_await takes a base class of T, which may be by value: the compiler must
// make the call, because that parameter lives until the end of the co_await.
template <class _Tp>
constexpr bool __takes_a_base() {
  using _Xp = typename __bare<_Tp>::__type;
  if constexpr (__has_member_co_await<_Tp> || !__has_free_co_await<_Tp> || !__is_class(_Xp) ||
                !__passed_by_address<_Xp>)
    return false;
  else if constexpr (!__competing_for_all::__wins<_Tp>)
    return false;
  else
    return __competing_for_all::__wins<_Xp&> && __competing_for_all::__wins<const _Xp&> &&
           __competing_for_all::__wins<_Xp&&> && __competing_for_all::__wins<const _Xp&&>;
}

// True if a free operator co_await may take T by value, so that a parameter's lifetime is
// observable.
template <class _Tp>
constexpr bool __takes_by_value() {
  using _Xp = typename __bare<_Tp>::__type;
  if constexpr (__has_member_co_await<_Tp> || !__has_free_co_await<_Tp> ||
                !__passed_by_address<_Xp>)
    return false;
  else if constexpr (!__is_constructible(_Xp, _Tp))
    return false;
  else
    return !__competing::__wins<_Xp> && !__competing::__wins<const _Xp>;
}
// The result of operator co_await for T, or T.
template <class _Tp, bool _Operator>
struct __operator_result {
  using __type = _Tp;
};
template <class _Tp>
struct __operator_result<_Tp, true> {
  using __type = decltype(operator co_await(__some<_Tp>()));
};
template <class _Tp, bool _Operator>
using __kept_result = typename __operator_result<_Tp, _Operator>::__type;

}  // namespace skein::SKEIN_DETAIL_NAMESPACE

#endif  // SKEIN_COROUTINE_OPERATOR_H
