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
#include <skein/coroutine/operator.h>
#include <skein/coroutine/overloads.h>

#include <new>

namespace skein::SKEIN_DETAIL_NAMESPACE {

struct __nothing {};
#if __has_builtin(__builtin_source_location)
using __source_location = std::source_location;
#else
using __source_location = __nothing;
#endif

// ---- overloads for a friend ----
//
// Overload resolution ignores access. So an operand that converts to a known parameter, and to each
// inaccessible one, is ambiguous or rejected if there is an inaccessible one.

template <class _Xp>
struct __converts_to {
  operator _Xp() const;
};
template <class _Pp, class _Xp>
concept __takes_new_object = requires {
  sizeof(_Xp);
  typename __bare<_Xp()>;
  requires !__is_abstract(_Xp);
  requires __takes_await_transform<_Pp, __converts_to<_Xp>>;
};
// True if P has an overload for an X, perhaps a reference, and it cannot be called here.
template <class _Pp, class _Xp>
concept __hides_overload =
    !(__takes_new_object<_Pp, _Xp> || __takes_await_transform<_Pp, _Xp&&> ||
      __takes_await_transform<_Pp, _Xp&> || __takes_await_transform<_Pp, const _Xp&>) ||
    (__takes_await_transform<_Pp, const _Xp&> && !__takes_new_object<_Pp, _Xp> &&
     !__takes_await_transform<_Pp, _Xp&&>);
template <class _Pp, class _Known>
struct __known_or_hidden {
  operator _Known() const;
  template <class _Xp>
  requires __hides_overload<_Pp, _Xp>
  operator _Xp() const;
  template <class _Xp>
  requires __hides_overload<_Pp, _Xp>
  operator _Xp&() const;
  template <class _Xp>
  requires __hides_overload<_Pp, _Xp>
  operator const _Xp&() const;
  template <class _Xp>
  requires __hides_overload<_Pp, _Xp>
  operator _Xp&&() const;
};
template <class _Pp, class... _Known>
constexpr bool __some_overload_is_hidden(__types<_Known...>) {
  return (... || !__takes_await_transform<_Pp, __known_or_hidden<_Pp, _Known>>);
}
// True if P has several overloads, and some are private or deleted. False if that is unknown: one
// is a template, or each accessible one has the form of another.
template <class _Pp>
constexpr bool __hides_await_transform() {
  if constexpr (__one_await_transform<_Pp>)
    return false;
  else
    return ::skein::__detail::__some_overload_is_hidden<_Pp>(
        ::skein::__detail::__some_await_transform<_Pp>());
}

// ---- an object that is taken by value ----

// The overload with the parameter type X that returns R; void: none. Of a template, only that for X
// is compiled.
template <class _Rp, class _Pp, class _Xp>
constexpr auto __object_overload() {
  if constexpr (requires { static_cast<_Rp (_Pp::*)(_Xp)>(&_Pp::await_transform); })
    return static_cast<_Rp (_Pp::*)(_Xp)>(&_Pp::await_transform);
  else if constexpr (requires { static_cast<_Rp (_Pp::*)(_Xp) const>(&_Pp::await_transform); })
    return static_cast<_Rp (_Pp::*)(_Xp) const>(&_Pp::await_transform);
}
// Calls this overload with the object x as its parameter, without a copy: functions with a
// parameter of type X or X& are called in the same way. As without skein, the caller of traced code
// destroys x.
template <class _Xp, class _Rp, class _Pp>
#if defined(__clang__)
__attribute__((__no_sanitize__("cfi-mfcall")))
#endif
inline decltype(auto)
__call_in_place(_Pp& __p, _Xp& __x) {
  constexpr auto __overload = ::skein::__detail::__object_overload<_Rp, _Pp, _Xp>();
  if constexpr (__is_same(decltype(__overload), _Rp(_Pp::*const)(_Xp)))
    return (__p.*reinterpret_cast<_Rp (_Pp::*)(_Xp&)>(__overload))(__x);
  else
    return (__p.*reinterpret_cast<_Rp (_Pp::*)(_Xp&) const>(__overload))(__x);
}

// True if no overload is a template (else the deduction fails), and exactly one has these parameter
// types.
template <class... _Xp>
struct __parameters {
  template <class _Cp, class _Rp, bool _Noexcept>
  static void __of(_Rp (_Cp::*)(_Xp...) noexcept(_Noexcept));
  template <class _Cp, class _Rp, bool _Noexcept>
  static void __of(_Rp (_Cp::*)(_Xp...) const noexcept(_Noexcept));
};
template <class _Pp, class... _Xp>
concept __has_no_template_but = requires {
  __parameters<_Xp...>::__of(&_Pp::await_transform);
};
template <class _Ap>
_Ap __object_of() noexcept;  // unlike some<A>(), a temporary
template <class _Pp, class _Xp>
using __object_result =
    decltype(__some<_Pp&>().await_transform(::skein::__detail::__object_of<_Xp>()));

// True if an operand A is not accepted, or by a template that returns R: all others would accept it
// in braces.
template <class _Pp, class _Ap, class _Rp>
concept __takes_by_template = !__takes_await_transform<_Pp, _Ap> ||
                              (__is_same(__await_transform_result<_Pp, _Ap>, _Rp) &&
                               !requires(_Pp & __p) { __p.await_transform({__some<_Ap>()}); });
template <class _Pp, class _Xp, class _Rp, class... _More>
concept __has_reference_to = __has_await_transform<_Pp, _Rp, _Xp&&, _More...> ||
    __has_await_transform<_Pp, _Rp, _Xp&, _More...> ||
    __has_await_transform<_Pp, _Rp, const _Xp&, _More...> ||
    __has_await_transform<_Pp, _Rp, const _Xp&&, _More...>;
// True if there is only one template, as far as its first argument can be X.
template <class _Pp, class _Xp>
concept __has_one_template = requires {
  typename __bare<decltype(&_Pp::template await_transform<_Xp>)>;
};
template <class _Pp, class _Xp, class _Rp>
concept __takes_any_object = requires {
  static_cast<_Rp (_Pp::*)(_Xp)>(&_Pp::template await_transform<_Xp>);
}
|| requires { static_cast<_Rp (_Pp::*)(_Xp) const>(&_Pp::template await_transform<_Xp>); };
template <class _Pp, class _Xp, class _Rp>
concept __takes_object_as_const = requires {
  static_cast<_Rp (_Pp::*)(_Xp) const>(&_Pp::await_transform);
};
// True if another overload takes a reference to X, and may be better than the one that takes an X
// by value: because that is a template for any type, or const. (The first is not tried for
// references: the same template would be compiled for them.)
template <class _Pp, class _Xp, class _Rp>
concept __may_be_worse = (__takes_any_object<_Pp, _Xp, _Rp> && !__has_one_template<_Pp, _Xp>) ||
                         (!__takes_any_object<_Pp, _Xp, _Rp> &&
                          __takes_object_as_const<_Pp, _Xp, _Rp> &&
                          (__has_reference_to<_Pp, _Xp, _Rp> ||
                           __has_reference_to<_Pp, _Xp, _Rp, __source_location>));
// True if each operand of type X selects an overload that takes an X by value. One that cannot be
// moved, but is accepted as a temporary, does in any case.
template <class _Pp, class _Xp, class _Rp>
concept __takes_object =
    !__is_same(decltype(::skein::__detail::__object_overload<_Rp, _Pp, _Xp>()), void) &&
    (!__takes_await_transform<_Pp, _Xp> ||
     ((__has_no_template_but<_Pp, _Xp> ||
       (__takes_by_template<_Pp, _Xp, _Rp> && __takes_by_template<_Pp, _Xp&, _Rp> &&
        __takes_by_template<_Pp, const _Xp&, _Rp>)) &&
      !__may_be_worse<_Pp, _Xp, _Rp>));
template <class _Pp, class _Xp>
concept __awaits_object = __passed_by_address<_Xp> && requires {
  requires __takes_object<_Pp, _Xp, __object_result<_Pp, _Xp>>;
};

// ---- an operand that is passed on by reference ----

// True if an overload accepts a const T& and More. A template's parameter must be declared as such:
// as a T&, it would accept a const T only. (Concepts, so that no template is compiled for a type
// that is tried after the right one.)
template <class _Pp, class _Rp, class _Tp, class... _More>
concept __takes_const = __has_no_template_but<_Pp, const _Tp&, _More...> || requires {
  static_cast<_Rp (_Pp::*)(const _Tp&, _More...)>(&_Pp::template await_transform<_Tp>);
} || requires {
  static_cast<_Rp (_Pp::*)(const _Tp&, _More...) const>(&_Pp::template await_transform<_Tp>);
};
template <class _Pp, class _Rp, class _Ap, class _Tp, class... _More>
concept __takes_reference =
    __has_await_transform<_Pp, _Rp, _Ap&&, _More...> || __takes_const<_Pp, _Rp, _Tp, _More...>;
// True if the selected overload has a second parameter for the source location. It is defaulted,
// because the compiler passes one argument. False if the operand may be converted: with two
// arguments, another overload could be selected.
#if __has_builtin(__builtin_source_location)
template <class _Pp, class _Rp, class _Ap, class _Tp>
concept __takes_location_exactly =
    (__has_await_transform<_Pp, _Rp, _Tp, __source_location> ||
     __takes_reference<_Pp, _Rp, _Ap, _Tp, __source_location>)&&!__has_await_transform<_Pp, _Rp,
                                                                                       _Tp> &&
    !__has_reference_to<_Pp, _Tp, _Rp>;
template <class _Pp, class _Ap>
concept __takes_location = requires(_Pp& __p, __source_location __here) {
  __p.await_transform(__some<_Ap>());
  __p.await_transform(__some<_Ap>(), __here);
  requires __takes_location_exactly < _Pp, __await_transform_result<_Pp, _Ap>, _Ap,
  typename __unreferenced<_Ap>::__type > ;
};
#else
template <class _Pp, class _Ap>
concept __takes_location = false;
#endif
// True if P is the promise of Asio's awaitable: its templates have another, defaulted parameter.
template <class _Pp>
concept __is_asio_promise = requires(_Pp& __p) {
  __p.attach_thread(__p.detach_thread());
  __p.pop_frame();
};
template <class _Pp, class _Rp, class _Tp>
concept __takes_copy = __has_await_transform<_Pp, _Rp, _Tp> ||
    __has_await_transform<_Pp, _Rp, _Tp, __source_location> ||
    (__is_asio_promise<_Pp>&& __has_await_transform<_Pp, _Rp, _Tp, void*>);
template <class _Pp, class _Rp, class _Ap, class _Tp>
concept __takes_operand = __takes_reference<_Pp, _Rp, _Ap, _Tp> ||
    __takes_reference<_Pp, _Rp, _Ap, _Tp, __source_location> ||
    (__is_asio_promise<_Pp>&& __takes_reference<_Pp, _Rp, _Ap, _Tp, int>);
// True if the operand A is known to reach the selected overload without a conversion to an object
// that has an observable lifetime: an overload accepts exactly A, so that any better one does too.
// False if in doubt, and for arrays and functions: their conversion to a pointer is an exact match.
template <class _Pp, class _Ap>
constexpr bool __binds_operand() {
  using _Tp = typename __unreferenced<_Ap>::__type;
  if constexpr (!__takes_await_transform<_Pp, _Ap>)  // P has none
    return true;
  else if constexpr (!requires { typename __bare<_Tp()>; })
    return false;
  else if constexpr (__takes_copy<_Pp, __await_transform_result<_Pp, _Ap>, _Tp>)
    return __is_trivially_copyable(_Tp);  // else the parameter's lifetime would end too early
  else
    return __takes_operand<_Pp, __await_transform_result<_Pp, _Ap>, _Ap, _Tp>;
}

// ---- an operand that may be converted, or moved to a parameter of operator co_await ----
//
// The object that the operand is converted to must live until the awaiting coroutine resumes, and
// its type cannot be found out; nor may a parameter of operator co_await end earlier. So the call
// is made in another coroutine, which is suspended in the middle of the expression, and destroyed
// after the awaiter:
//
//    awaiting coroutine                             keep()
//    +--- ... --+-----------+---------+-- ... --+   +-- ... --+------------------+--------+
//    | operand  | kept_call | awaiter |         |   |         | converted object | result |
//    +--- ... --+-----------+---------+-- ... --+   +-- ... --+------------------+--------+
//
// Cost: one allocation. Rejected: an argument of a class with a conversion operator template, which
// reveals the type. It would also be accepted by templates, and these may not compile with it.

struct __pause {
  bool await_ready() const noexcept { return false; }
  template <class _Hp>
  void await_suspend(_Hp) const noexcept {}
  void await_resume() const noexcept {}
};

// The return object of keep(), for a result of type T. (A template: std::coroutine_handle may be
// incomplete.)
template <class _Tp>
struct __keeper {
  struct promise_type {
    typename __unreferenced<_Tp>::__type* __result;
    __keeper get_return_object() noexcept {
      return {std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    __pause initial_suspend() noexcept { return {}; }
    __pause final_suspend() noexcept { return {}; }
    __pause await_transform(_Tp&& __r) noexcept {
      __result = __builtin_addressof(__r);
      return {};
    }
    void return_void() noexcept {}
    void unhandled_exception() {
#if defined(__cpp_exceptions)
      throw;
#endif
    }
    // Not the program's operator new, which may count its calls.
    static void* operator new(unsigned long __size) {
      if (void* __frame = __builtin_malloc(__size)) return __frame;
#if defined(__cpp_exceptions)
      throw std::bad_alloc();
#else
      __builtin_abort();
#endif
    }
    static void operator delete(void* __frame) { __builtin_free(__frame); }
  };
  std::coroutine_handle<promise_type> __handle;
};
// T: the type of P's result; or, with `operator`, of operator co_await for it.
template <class _Tp, bool _Operator, class _Pp, class _Ap>
inline __keeper<_Tp> __keep(_Pp& __p, _Ap&& __a, __place __here) {
#if __has_builtin(__builtin_source_location)
  if constexpr (__takes_location<_Pp, _Ap> && !_Operator)
    co_await __p.await_transform(static_cast<_Ap&&>(__a), __here.__location());
  else if constexpr (__takes_location<_Pp, _Ap>)
    co_await operator co_await(__p.await_transform(static_cast<_Ap&&>(__a), __here.__location()));
  else
#endif
      if constexpr (!__takes_await_transform<_Pp, _Ap>)
    co_await operator co_await(static_cast<_Ap&&>(__a));
  else if constexpr (!_Operator)
    co_await __p.await_transform(static_cast<_Ap&&>(__a));
  else
    co_await operator co_await(__p.await_transform(static_cast<_Ap&&>(__a)));
}

// A call with result type T of P's await_transform, or of operator co_await, in a full-expression
// that lasts as long as this object.
template <class _Tp, bool _Operator>
class __kept_call {
 public:
  template <class _Pp, class _Ap>
  __kept_call(_Pp& __p, _Ap&& __a, __place __here)
      : __owner_{::skein::__detail::__keep<_Tp, _Operator>(__p, static_cast<_Ap&&>(__a), __here)
                     .__handle.address()} {
    // g++ 12 inlines __keep(), and for aarch64 moves the load of the frame's first word before its
    // store, which has another type.
    __asm__ volatile("" : : : "memory");
    __handle().resume();
  }
  _Tp&& __result() { return static_cast<_Tp&&>(*__handle().promise().__result); }

 private:
  using _Handle = std::coroutine_handle<typename __keeper<_Tp>::promise_type>;
  // Destroyed if the constructor throws. If unhandled_exception throws, clang 16 and older destroy
  // the awaiters of the last suspension again with the coroutine.
  struct __owner {
    void* volatile __frame;
    explicit __owner(void* __f) : __frame(__f) {}
    __owner(const __owner&) = delete;
    ~__owner() {
      void* __f = __frame;
      __frame = nullptr;
      if (__f != nullptr) _Handle::from_address(__f).destroy();
    }
  };
  _Handle __handle() const { return _Handle::from_address(__owner_.__frame); }
  __owner __owner_;
};

}  // namespace skein::SKEIN_DETAIL_NAMESPACE

#endif  // SKEIN_COROUTINE_TRANSFORM_H
