// Part of skein/coroutine.h: the promise that the compiler sees instead of the library's.
#ifndef SKEIN_COROUTINE_PROMISE_H
#define SKEIN_COROUTINE_PROMISE_H
#ifndef SKEIN_COROUTINE_H
#error "skein: include skein/coroutine.h"
#endif

#include <skein/coroutine/awaiting.h>
#include <skein/coroutine/plumbing.h>
#include <skein/coroutine/yielding.h>

#include <new>

namespace skein::SKEIN_DETAIL_NAMESPACE {

// True if compilers construct P from the coroutine's parameters. They initialise the members of an
// aggregate with them if they can; but g++ does not initialise a trivial one at all.
template <class _Pp, class... _Ap>
inline constexpr bool __takes_parameters = sizeof...(_Ap) != 0 && __is_constructible(_Pp, _Ap&...);
#if defined(__GNUC__) && !defined(__clang__)
template <class _Pp, class... _Ap>
requires(__is_aggregate(_Pp) &&
         __is_trivially_constructible(_Pp)) inline constexpr bool __takes_parameters<_Pp, _Ap...> =
    false;
#endif

// A contained promise as the first member, with the members that the compiler looks up.
template <class _Pp>
struct __box {
  _Pp skein_promise;

  __box() requires requires { _Pp(); }
  = default;
  template <class... _Ap>
  requires __takes_parameters<_Pp, _Ap...>
  explicit __box(_Ap&... __a) : skein_promise(__a...) {}
  using skein_boxed_type = _Pp;
  decltype(auto) get_return_object() { return skein_promise.get_return_object(); }
};
template <class _Pp>
concept __returns_void = requires(_Pp& __p) {
  __p.return_void();
};
template <class _Pp>
struct __box_returning_void : __box<_Pp> {
  using __box<_Pp>::__box;
  void return_void() { this->skein_promise.return_void(); }
};
// A single return_value: a twin.
template <class _Pp, class _Xp>
struct __box_returning_exactly : __box<_Pp> {
  using __box<_Pp>::__box;
  void return_value(_Xp __x) { this->skein_promise.return_value(static_cast<_Xp&&>(__x)); }
};
// A template, or several: a template. X: a type that P accepts in braces; for all that has no type.
template <class _Pp, class... _Xp>
struct __box_returning_any : __box<_Pp> {
  using __box<_Pp>::__box;
  template <class _Vp>
  requires __takes_return_value<_Pp, _Vp>
  void return_value(_Vp&& __v) { this->skein_promise.return_value(static_cast<_Vp&&>(__v)); }
};
template <class _Pp, class _Xp>
struct __box_returning_any<_Pp, _Xp> : __box_returning_any<_Pp> {
  using __box_returning_any<_Pp>::__box_returning_any;
  using __box_returning_any<_Pp>::return_value;
  void return_value(_Xp&& __x) { this->skein_promise.return_value(static_cast<_Xp&&>(__x)); }
};

// The first type that a coroutine of P is likely to return; void: unknown.
template <class... _Tp>
struct __first_of {
  using __type = void;
};
template <class _Tp, class... _Rest>
struct __first_of<__types<_Tp, _Rest...>> {
  using __type = _Tp;
};
template <class _Pp, class _Rp>
using __returned_hint = typename __first_of<decltype(::skein::__detail::__value_type_hint<_Pp>() +
                                                     __hints<_Pp, _Rp>{})>::__type;

template <class _Pp, class _Tp>
concept __takes_braces = requires(_Pp& __p, _Tp (*__t)()) {
  __p.return_value({static_cast<_Tp&&>(__t())});
};
template <class _Pp, class _Tp>
concept __takes_other_braces = requires(_Pp& __p) {
  __p.return_value({__any_but<_Tp>{}});
};
template <class _Tp>
struct __returns_only {
  void return_value(_Tp&&);
};
// True if a return_value that is no template accepts another type than T: with it, braces that are
// accepted for T become ambiguous.
template <class _Pp, class _Tp>
inline constexpr bool __returns_others = __takes_other_braces<_Pp, _Tp> !=
                                         (__takes_braces<_Pp, _Tp> &&
                                          __takes_other_braces<__returns_only<_Tp>, _Tp>);
// True if a template takes objects of any type by value, and void is its declared return type. Its
// body is not compiled.
struct __any_object : __any_value {
  ~__any_object();
};
template <class _Pp>
concept __returns_objects = requires {
  static_cast<void (_Pp::*)(__any_object)>(&_Pp::return_value);
};
template <class _Pp, class _Rp>
constexpr auto __box_for() {
  using _Tp = __returned_hint<_Pp, _Rp>;
  if constexpr (__returns_void<_Pp>) {
    return __bare<__box_returning_void<_Pp>>{};
  } else if constexpr (__unary_return_value<_Pp>) {
    using _Xp = typename __signature<decltype(&_Pp::return_value)>::__parameter;
    if constexpr (__passes_on<_Xp> && __takes_return_value<_Pp, _Xp>)
      return __bare<__box_returning_exactly<_Pp, _Xp>>{};
  } else if constexpr (!__one_return_value<_Pp> && __takes_return_value<_Pp, _Tp>) {
    if constexpr (__exactly_return_value<_Pp, _Tp> && !__passes_on<_Tp>)
      ;  // taken by value: a second move would be observable
    else if constexpr (__returns_objects<_Pp>)
      ;  // other types are taken by value
    else if constexpr (__returns_others<_Pp, _Tp>)
      ;  // an overload for another type, for which braces are not passed on
    else if constexpr (__takes_braces<_Pp, _Tp>)
      return __bare<__box_returning_any<_Pp, _Tp>>{};
    else
      return __bare<__box_returning_any<_Pp>>{};
  }
}
// Allocates as the compiler would for P.
template <class _Pp, class _Bp>
struct __box_allocating : _Bp {
  using _Bp::_Bp;
  static void* operator new(unsigned long __size) {
    if constexpr (requires { _Pp::operator new(__size); })
      return _Pp::operator new(__size);
    else
      return ::operator new(__size);
  }
  template <class _First, class... _Rest>
  requires requires(unsigned long __n, _First& __f, _Rest&... __r) {
    _Pp::operator new(__n, __f, __r...);
  }
  static void* operator new(unsigned long __size, _First& __first, _Rest&... __rest) {
    return _Pp::operator new(__size, __first, __rest...);
  }
  static void operator delete(void* __p, unsigned long __size) {
    if constexpr (requires { _Pp::operator delete(__p, __size); })
      _Pp::operator delete(__p, __size);
    else if constexpr (requires { _Pp::operator delete(__p); })
      _Pp::operator delete(__p);
    else
      ::operator delete(__p);
  }
};
template <class _Pp>
concept __falls_back = requires {
  _Pp::get_return_object_on_allocation_failure();
};
template <class _Pp, class _Bp>
struct __box_falling_back : _Bp {
  using _Bp::_Bp;
  static decltype(auto) get_return_object_on_allocation_failure() {
    return _Pp::get_return_object_on_allocation_failure();
  }
  static void* operator new(unsigned long __size, const std::nothrow_t& __tag) noexcept {
    if constexpr (requires { _Pp::operator new(__size, __tag); })
      return _Pp::operator new(__size, __tag);
    else if constexpr (requires { _Pp::operator new(__size); })
      return _Pp::operator new(__size);
    else
      return ::operator new(__size, __tag);
  }
  static void* operator new(unsigned long __size) noexcept {
    return operator new(__size, std::nothrow);
  }
  template <class _First, class... _Rest>
  requires requires(unsigned long __n, _First& __f, _Rest&... __r) {
    _Pp::operator new(__n, __f, __r...);
  }
  static void* operator new(unsigned long __size, _First& __first, _Rest&... __rest) noexcept {
    return _Pp::operator new(__size, __first, __rest...);
  }
  static void operator delete(void* __p, unsigned long __size) {
    _Bp::operator delete(__p, __size);
  }
};

template <class _Pp, class _Rp>
struct __boxed {
  using __returning = typename decltype(::skein::__detail::__box_for<_Pp, _Rp>())::__type;
  using __allocating = __box_allocating<_Pp, __returning>;
  using __type = typename __choose<__falls_back<_Pp>, __box_falling_back<_Pp, __allocating>,
                                   __allocating>::__type;
};

// An aggregate as a base class, with the constructor that it lacks.
template <class _Pp>
struct __aggregate : _Pp {
  __aggregate() = default;
  template <class... _Ap>
  requires __takes_parameters<_Pp, _Ap...>
  explicit __aggregate(_Ap&... __a) : _Pp(__a...) {}
};
template <class _Pp>
using __base_for = typename __choose<__is_aggregate(_Pp), __aggregate<_Pp>, _Pp>::__type;

// clang 15 and later call a get_return_object() that returns void when the coroutine has suspended.
#if defined(__clang__)
template <class _Pp>
inline constexpr bool __created_at_start = __is_same(decltype(__some<_Pp&>().get_return_object()),
                                                     void);
#else
template <class _Pp>
inline constexpr bool __created_at_start = false;
#endif

// Base: P, or a class that contains P. The frame is not in P's padding, which P may overwrite.
template <class _Pp, class _Base, uint32_t _Kind, class... _Yielded>
struct __traced
    : __awaiting<_Pp, __traced<_Pp, _Base, _Kind, _Yielded...>,
                 __yielding<__traced<_Pp, _Base, _Kind, _Yielded...>, _Base, _Yielded...>> {
  using __awaiting<_Pp, __traced, __yielding<__traced, _Base, _Yielded...>>::__awaiting;
  using skein_promise_type = _Pp;
  static constexpr uint32_t _KSkeinKind = _Kind;
  alignas(_Pp) alignas(__frame)::skein::__detail::__frame skein_frame;

  ~__traced() {
    if (__builtin_expect(skein_frame.__task.id != 0, 0))  // it was recorded
      ::skein::__detail::__forget(skein_frame, this);
  }

  // Records the creation, and not in initial_suspend: g++ inlines the code up to an initial
  // suspension into the caller if it is short; and it has the function's readable name only here,
  // there it is "void f(f(int)::_Z1fi.Frame*)". (The line is that of the closing brace in both.)
  SKEIN_DETAIL_CORO_WRAPPER
  decltype(auto) get_return_object(::skein::__detail::__place __where = SKEIN_DETAIL_PLACE,
                                   const char* __name = __builtin_FUNCTION()) {
    if constexpr (!__created_at_start<_Pp>) skein_created(__where, __name);
    return skein_inner().get_return_object();
  }
#if defined(__clang__)
  auto initial_suspend(::skein::__detail::__place __where = SKEIN_DETAIL_PLACE,
                       const char* __name = __builtin_FUNCTION()) {
    if constexpr (__created_at_start<_Pp>) skein_created(__where, __name);
#else
  auto initial_suspend(__not_virtual = {}) {
#endif
    using _Tp = decltype(__some<_Pp&>().initial_suspend());
    return ::skein::__detail::__traced_awaiter<__traced, __step::__initial, _Tp, __target::__other>(
        this, skein_inner(), __from_initial{});
  }
  auto final_suspend(__not_virtual = {}) noexcept {
    if (skein_enabled()) ::skein::__detail::__ended(skein_frame);
    using _Tp = decltype(__some<_Pp&>().final_suspend());
    return ::skein::__detail::__traced_awaiter<__traced, __step::final, _Tp, __target::__other>(
        this, skein_inner(), __from_final{});
  }
  void unhandled_exception(__not_virtual = {}) noexcept(
      noexcept(__some<_Pp&>().unhandled_exception())) {
    if (skein_frame.__task.id != 0 && skein_enabled()) ::skein::__detail::__failed(skein_frame);
    skein_inner().unhandled_exception();
  }
  // how: in_place, if P takes the object `a` by value; or the location of the co_await, for P.
  template <class _Ap, class... _How>
  decltype(auto) skein_await(_Ap&& __a, _How... __how) {
    using _Tp = decltype(::skein::__detail::__awaitable_of(__some<_Pp&>(), static_cast<_Ap&&>(__a),
                                                           __how...));
    if constexpr (::skein::__detail::__takes_by_value<_Tp>() &&
                  __is_same(__types<_How...>, __types<__place>))
      return skein_await_kept<_Ap>(static_cast<_Ap&&>(__a), __how...);
    else if constexpr (::skein::__detail::__wrappable<_Pp, _Tp>())
      return ::skein::__detail::__traced_awaiter<__traced, __step::__await, _Tp,
                                                 __target_of<_Ap, _Tp>>(
          this, skein_inner(), static_cast<_Ap&&>(__a), __how...);
    else
      return ::skein::__detail::__awaitable_of(skein_inner(), static_cast<_Ap&&>(__a), __how...);
  }
  template <class _Ap>
  decltype(auto) skein_await_kept(_Ap&& __a, ::skein::__detail::__place __here) {
    using _Tp = decltype(::skein::__detail::__awaitable_of(__some<_Pp&>(), static_cast<_Ap&&>(__a),
                                                           __here));
    constexpr bool __operator = ::skein::__detail::__takes_by_value<_Tp>();
    using _Kept = __kept_result<_Tp, __operator>;
    using _Call = __kept_call<_Kept, __operator>;
    if constexpr (::skein::__detail::__wrappable<_Pp, _Kept&&>())
      return ::skein::__detail::__kept_awaiter<
          _Call,
          __traced_awaiter<__traced, __step::__await, _Kept&&, __target_of<_Ap, _Tp, _Kept&&>>>(
          this, skein_inner(), static_cast<_Ap&&>(__a), __here);
    else if constexpr (__awaitable<_Tp> ||
                       __names_await_ready<typename __unreferenced<_Tp>::__type>)
      return ::skein::__detail::__kept_awaitable<_Kept, __operator>{
          {skein_inner(), static_cast<_Ap&&>(__a), __here}};
    else
      return ::skein::__detail::__awaitable_of(skein_inner(), static_cast<_Ap&&>(__a), __here);
  }
  template <class _Xp>
  auto skein_yield(typename __unreferenced<_Xp>::__type& __x) {
    return ::skein::__detail::__traced_awaiter<__traced, __step::__yield,
                                               __yield_value_result<_Pp, _Xp>, __target::__other>(
        this, skein_inner(), static_cast<_Xp&&>(__x), __from_yield{});
  }

  constexpr _Pp& skein_inner() noexcept {
    if constexpr (__contained<_Pp>)
      return this->skein_promise;
    else
      return *this;
  }
  void skein_created(::skein::__detail::__place __where, const char* __name) {
    constexpr bool __runs =
        __is_same(decltype(__some<_Pp&>().initial_suspend()), std::suspend_never);
    if (skein_enabled())
      ::skein::__detail::__created(skein_frame, this, _Kind, __name, __where.__get(), __runs);
    else
      skein_frame.__previous = __runs ? 0 : _KNotStarted;
  }
};

// ---- which promises are traced ----

// True if P's function with this name can be called, and has no defaulted parameter if it is the
// only one, and is not consteval. A default such as std::source_location::current() would have
// another value in the header.
#define SKEIN_DETAIL_PLAIN(__name)                                    \
  template <class _Pp>                                                \
  concept __plain_##__name = requires(_Pp & __p) {                    \
    __p.__name();                                                     \
  }                                                                   \
  &&(                                                                 \
      !requires { &_Pp::__name; } ||                                  \
      requires { requires __is_nullary<decltype(&_Pp::__name)>; }) && \
      !SKEIN_DETAIL_IMMEDIATE(_Pp, SKEIN_DETAIL_UNKNOWN(_Pp&), __name);
SKEIN_DETAIL_PLAIN(get_return_object)
SKEIN_DETAIL_PLAIN(initial_suspend)
SKEIN_DETAIL_PLAIN(final_suspend)
SKEIN_DETAIL_PLAIN(unhandled_exception)
#undef SKEIN_DETAIL_PLAIN
#undef SKEIN_DETAIL_IMMEDIATE
#undef SKEIN_DETAIL_UNKNOWN

// True if a constructor has a defaulted parameter for the source location: std::source_location, or
// the like.
struct __some_location {
  template <class _Tp>
  requires requires { _Tp::current(); }
  operator _Tp() const;
};
template <class _Pp, class... _Ap>
inline constexpr bool __constructed_with_location = __is_constructible(_Pp, _Ap...,
                                                                       __some_location) &&
                                                    !__is_constructible(_Pp, _Ap..., __nothing);

// True if the allocation function of P cannot be called here, only by friends of P.
template <class _Pp, class... _Ap>
inline constexpr bool __hides_allocation = requires(unsigned long __size, _Pp* __p) {
  ::new _Pp;
  ::delete __p;
}
&&!requires(_Pp * __p) {
  new _Pp;
  delete __p;
}
&&!requires(unsigned long __size) { _Pp::operator new(__size); }
&&!requires(unsigned long __size, _Ap&... __a) { _Pp::operator new(__size, __a...); };

// True if a class derived from P, or one that contains it, can call what the compiler calls.
template <class _Pp, class... _Ap>
concept __accessible =
    __plain_get_return_object<_Pp> && __plain_initial_suspend<_Pp> && __plain_final_suspend<_Pp> &&
    ::skein::__detail::__suspends_plainly<_Pp, decltype(__some<_Pp&>().initial_suspend())>() &&
    ::skein::__detail::__suspends_plainly<_Pp, decltype(__some<_Pp&>().final_suspend())>() &&
#if defined(__cpp_exceptions)
    __plain_unhandled_exception<_Pp> &&
#endif
    (__is_constructible(_Pp) || __is_constructible(_Pp, _Ap&...)) &&
    !__constructed_with_location<_Pp> && !__constructed_with_location<_Pp, _Ap&...> &&
    !(__contained<_Pp> && __hides_allocation<_Pp, _Ap...>);

// True if the compiler would copy the promise from the coroutine's only parameter.
template <class _Pp, class... _Ap>
inline constexpr bool __copies_promise = false;
template <class _Pp, class _Ap>
inline constexpr bool __copies_promise<_Pp, _Ap> = requires(typename __bare<_Ap>::__type* __from,
                                                            void (*__as)(const _Pp*)) {
  __as(__from);
};  // may be incomplete

// An operation of Asio's use_awaitable, as a coroutine that starts it and is never resumed: the
// handler stores the result in the promise. It is not traced, because neither its end nor its
// failure can be observed. (skein/asio.h traces the operation itself.)
struct __any_executor {};
template <class _Pp, class... _Ap>
inline constexpr bool __starts_asio_operation = false;
template <class _Pp, class _Initiation, class _Token, class... _Ap>
inline constexpr bool __starts_asio_operation<_Pp, _Initiation, _Token, _Ap...> =
    __is_asio_promise<_Pp>&& requires {
  typename __bare<_Token>::__type::template executor_with_default<__any_executor>;
};

// True if a yield of an X gets an awaiter that accepts P's handle only.
template <class _Pp, class _Xp>
constexpr bool __yield_is_safe() {
  if constexpr (__takes_yield_value<_Pp, _Xp>)
    return ::skein::__detail::__suspends_with_own_handle<_Pp, __yield_value_result<_Pp, _Xp>>();
  else
    return true;
}
template <class _Pp, class... _Xp>
constexpr bool __yields_are_safe(__types<_Xp...>) {
  return (true && ... && ::skein::__detail::__yield_is_safe<_Pp, _Xp>());
}
// The same for the first hinted type; the others are not tried, as in yields_first.
template <class _Pp>
constexpr bool __first_yield_is_safe(__types<>) {
  return true;
}
template <class _Pp, class _Tp, class... _Rest>
constexpr bool __first_yield_is_safe(__types<_Tp, _Rest...>) {
  if constexpr (__takes_yield_value<_Pp, _Tp>)
    return ::skein::__detail::__yield_is_safe<_Pp, _Tp>();
  else
    return ::skein::__detail::__yield_is_safe<_Pp, _Tp&>();
}
// True if all yields and awaits that are not traced get an awaiter that accepts P's handle only, as
// far as is known.
template <class _Pp, class _Rp>
constexpr bool __untraced_yield_is_safe() {
  using _All = decltype(::skein::__detail::__all_yields<_Pp, _Rp>());
  if constexpr (__yield_twins<_Pp, _Rp>::__size != 0)
    return true;
  else if constexpr (_All::__size != 0)
    return ::skein::__detail::__yields_are_safe<_Pp>(_All{});
  else
    return ::skein::__detail::__first_yield_is_safe<_Pp>(
               ::skein::__detail::__value_type_hint<_Pp>()) &&
           ::skein::__detail::__first_yield_is_safe<_Pp>(__hints<_Pp, _Rp>{});
}
template <class _Pp>
constexpr bool __untraced_await_is_safe() {
  if constexpr (!__one_await_transform<_Pp> || ::skein::__detail::__has_await_twin<_Pp>()) {
    return true;
  } else if constexpr (__unary_await_transform<_Pp>) {
    using _Xp = typename __signature<decltype(&_Pp::await_transform)>::__parameter;
    if constexpr (__takes_await_transform<_Pp, _Xp>)
      return ::skein::__detail::__suspends_with_own_handle<_Pp,
                                                           __await_transform_result<_Pp, _Xp>>();
    else
      return false;
  } else {
    return false;
  }
}

// The promise of a coroutine of a library that drops the failures of what it awaits. The coroutine
// is not traced itself, and its frame is that of one with the promise P.
template <class _Pp>
struct __discarding : _Pp {
  __discarding() = default;
  template <class _Tp>
  decltype(auto) await_transform(_Tp __awaited) {
    if (skein_enabled()) ::skein::__detail::__discard(__builtin_addressof(__awaited), sizeof(_Tp));
    return static_cast<_Pp*>(this)->await_transform(static_cast<_Tp&&>(__awaited));
  }
};

// The promise that the compiler sees: P itself, untraced, if it cannot be wrapped.
template <class _Pp, class _Rp, class _Twins>
struct __promise_of;
template <class _Pp, class _Rp, class... _Xp>
struct __promise_of<_Pp, _Rp, __types<_Xp...>> {
  static constexpr uint32_t _KKind =
      ::skein::__detail::__is_generator<_Pp, _Rp> ? SKEIN_KIND_generator : SKEIN_KIND_coroutine;
  static constexpr auto __choose_type() {
    if constexpr (::skein::__detail::__hides_await_transform<_Pp>()) {
      return __bare<_Pp>{};
    } else if constexpr (!__contained<_Pp>) {
      if constexpr (::skein::__detail::__untraced_yield_is_safe<_Pp, _Rp>() &&
                    ::skein::__detail::__untraced_await_is_safe<_Pp>())
        return __bare<__traced<_Pp, __base_for<_Pp>, _KKind, _Xp...>>{};
      else
        return __bare<_Pp>{};
    } else if constexpr (__is_same(decltype(::skein::__detail::__box_for<_Pp, _Rp>()), void) ||
                         (__one_await_transform<_Pp> &&
                          !::skein::__detail::__has_await_twin<_Pp>())) {
      return __bare<_Pp>{};
    } else if constexpr (sizeof...(_Xp) != 0) {
      return __bare<__traced<_Pp, typename __boxed<_Pp, _Rp>::__type, _KKind, _Xp...>>{};
    } else if constexpr (__final_yields<_Pp, _Rp>) {
      return __bare<_Pp>{};
    } else {
      return __bare<__traced<_Pp, typename __boxed<_Pp, _Rp>::__type, _KKind, __undetected>>{};
    }
  }
  using __type = typename decltype(__choose_type())::__type;
};
template <class _Pp, class _Rp, bool _Plumbing, class... _Ap>
struct __promise_for {
  using __type = typename __choose<__discards<_Rp, _Ap...>, __discarding<_Pp>, _Pp>::__type;
};
template <class _Pp, class _Rp, class... _Ap>
requires(alignof(_Pp) <= 2 * sizeof(void*) && __accessible<_Pp, _Ap...> &&
         !__copies_promise<_Pp, _Ap...> &&
         !__starts_asio_operation<_Pp, _Ap...>) struct __promise_for<_Pp, _Rp, false, _Ap...> {
  using __type = typename __promise_of<_Pp, _Rp, __yield_twins<_Pp, _Rp>>::__type;
};

}  // namespace skein::SKEIN_DETAIL_NAMESPACE

namespace skein::__detail {
template <class _Tp, class... _Ap>
inline constexpr bool __plumbing<__keeper<_Tp>, _Ap...> = true;
}  // namespace skein::__detail

namespace std {
template <class _Pp>
struct coroutine_handle<::skein::__detail::__discarding<_Pp>> : coroutine_handle<_Pp> {
  static constexpr coroutine_handle from_address(void* address) noexcept {
    coroutine_handle __handle;
    static_cast<coroutine_handle<_Pp>&>(__handle) = coroutine_handle<_Pp>::from_address(address);
    return __handle;
  }
};

// The handle passed to the awaiter of a yield without a twin. It records the suspension when it is
// converted to the handle type that the promise's awaiter uses; later conversions record nothing.
template <class _Pp, class _Base, ::uint32_t _Kind, class... _Xp>
requires(!::skein::__detail::__contained<_Pp>) struct coroutine_handle<
    ::skein::__detail::__traced<_Pp, _Base, _Kind, _Xp...>> {
  using promise_type = ::skein::__detail::__traced<_Pp, _Base, _Kind, _Xp...>;
  using _Untyped = coroutine_handle<typename ::skein::__detail::__choose<true, void, _Pp>::__type>;
  constexpr coroutine_handle() noexcept = default;
  constexpr coroutine_handle(decltype(nullptr)) noexcept {}
  static constexpr coroutine_handle from_address(void* address) noexcept {
    coroutine_handle __handle;
    __handle.__address_ = address;
    return __handle;
  }
  static coroutine_handle from_promise(promise_type& __p) noexcept {
    return from_address(coroutine_handle<_Pp>::from_promise(__p).address());
  }
  constexpr void* address() const noexcept { return __address_; }
  constexpr explicit operator bool() const noexcept { return __address_ != nullptr; }
  bool done() const noexcept { return __inner().done(); }
  void operator()() const { operator coroutine_handle<_Pp>().resume(); }
  void resume() const { operator coroutine_handle<_Pp>().resume(); }
  void destroy() const { __inner().destroy(); }
  promise_type& promise() const { return static_cast<promise_type&>(__inner().promise()); }
  operator coroutine_handle<_Pp>() const noexcept {
    __report_suspension();
    return __inner();
  }
  operator _Untyped() const noexcept {
    __report_suspension();
    return __inner();
  }

 private:
  coroutine_handle<_Pp> __inner() const noexcept {
    return coroutine_handle<_Pp>::from_address(__address_);
  }
  void __report_suspension() const noexcept {
    if (__address_ != nullptr && skein_enabled())
      ::skein::__detail::__suspended_unreported(promise().skein_frame);
  }
  void* __address_ = nullptr;
};
}  // namespace std

#endif  // SKEIN_COROUTINE_PROMISE_H
