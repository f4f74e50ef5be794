// Part of skein/coroutine.h: converts the operand of a co_await to an awaiter as the compiler
// would, and wraps it in an awaiter that records each suspension.
#ifndef SKEIN_COROUTINE_AWAITING_H
#define SKEIN_COROUTINE_AWAITING_H
#ifndef SKEIN_COROUTINE_H
#error "skein: include skein/coroutine.h"
#endif

#include <skein/coroutine/frame.h>
#include <skein/coroutine/overloads.h>
#include <skein/coroutine/transform.h>

#if defined(__clang__) && __clang_major__ < 18
// llvm 56301: if await_suspend is inlined, its variables may be in the frame, which it must not
// touch.
#define SKEIN_DETAIL_OUT_OF_FRAME __attribute__((__noinline__))
#else
#define SKEIN_DETAIL_OUT_OF_FRAME
#endif

namespace skein::SKEIN_DETAIL_NAMESPACE {

template <class _Tp>
concept __awaitable = __has_member_co_await<_Tp> || __has_free_co_await<_Tp> ||
    requires(_Tp&& __t) {
  __t.await_ready();
};
// True if T is an awaiter whose functions may be private.
struct __await_ready_name {
  void await_ready();
};
template <class _Tp>
struct __await_ready_probe : _Tp, __await_ready_name {};
template <class _Tp>
concept __names_await_ready = __is_class(_Tp) && !__underivable<_Tp> && !requires {
  &__await_ready_probe<_Tp>::await_ready;
};
// True if T is the return type of a coroutine.
template <class _Tp>
concept __is_task_object = requires {
  typename std::skein_original_coroutine_traits<typename __bare<_Tp>::__type>::promise_type;
};

enum class __step { __initial, __await, __yield, final };

// What a coroutine waits for: the return object of a coroutine; an lvalue that is awaited itself,
// as in `co_await event;`; or what a temporary awaiter refers to.
enum class __target { __task, __lvalue, __other };
// A: the operand. T: the result of await_transform, else A. It may be an lvalue of a temporary A,
// which no other co_await has. Held: what __held has for T; a kept call's result is another.
// A const awaiter has no room for its waiters: it refers to them.
template <class _Ap, class _Tp, class _Held = _Tp>
inline constexpr __target __target_of = __is_task_object<_Ap> || __is_task_object<_Tp>
                                            ? __target::__task
                                        : __is_same(_Ap, _Held) &&
                                                __is_same(_Ap, typename __bare<_Ap>::__type&)
                                            ? __target::__lvalue
                                            : __target::__other;

struct __from_initial {};
struct __from_final {};
struct __from_yield {};
template <class _Rp>
struct __in_place {};   // an object that P takes by value, by an overload that returns R
struct __from_kept {};  // the result of a kept_call

template <class _Pp>
SKEIN_DETAIL_CORO_WRAPPER inline decltype(auto) __awaitable_of(_Pp& __p, __from_initial) {
  return __p.initial_suspend();
}
template <class _Pp>
SKEIN_DETAIL_CORO_WRAPPER inline decltype(auto) __awaitable_of(_Pp& __p, __from_final) noexcept {
  return __p.final_suspend();
}
template <class _Pp, class _Vp>
SKEIN_DETAIL_CORO_WRAPPER inline decltype(auto) __awaitable_of(_Pp& __p, _Vp&& __v, __from_yield) {
  return __p.yield_value(static_cast<_Vp&&>(__v));
}
template <class _Pp, class _Xp, class _Rp>
SKEIN_DETAIL_CORO_WRAPPER inline decltype(auto) __awaitable_of(_Pp& __p, _Xp& __x,
                                                               __in_place<_Rp>) {
  return ::skein::__detail::__call_in_place<_Xp, _Rp>(__p, __x);
}
template <class _Call>
SKEIN_DETAIL_CORO_WRAPPER inline auto&& __awaitable_of(_Call& __call, __from_kept) {
  return __call.__result();
}
template <class _Pp, class _Ap>
SKEIN_DETAIL_CORO_WRAPPER inline decltype(auto) __awaitable_of(_Pp& __p, _Ap&& __a) {
  if constexpr (__takes_await_transform<_Pp, _Ap>)
    return __p.await_transform(static_cast<_Ap&&>(__a));
  else
    return static_cast<_Ap&&>(__a);
}

template <class _Pp, class _Ap>
SKEIN_DETAIL_CORO_WRAPPER inline decltype(auto) __awaitable_of(_Pp& __p, _Ap&& __a,
                                                               __place __here) {
#if __has_builtin(__builtin_source_location)
  if constexpr (__takes_location<_Pp, _Ap>)
    return __p.await_transform(static_cast<_Ap&&>(__a), __here.__location());
  else
#endif
    return ::skein::__detail::__awaitable_of(__p, static_cast<_Ap&&>(__a));
}

template <class _Tp>
inline decltype(auto) __awaiter_of(_Tp&& __t) noexcept(noexcept(operator co_await(
    static_cast<_Tp&&>(__t)))) requires(!__has_member_co_await<_Tp> && __has_free_co_await<_Tp>) {
  return operator co_await(static_cast<_Tp&&>(__t));
}
template <class _Tp>
inline decltype(auto) __awaiter_of(_Tp&& __t) noexcept(
    noexcept(static_cast<_Tp&&>(__t).operator co_await())) requires __has_member_co_await<_Tp> {
  return static_cast<_Tp&&>(__t).operator co_await();
}

template <class _Tp>
inline const void* __address_of(_Tp& __object) noexcept {  // which may be volatile
  return const_cast<const void*>(static_cast<const volatile void*>(__builtin_addressof(__object)));
}
// The object that an awaiter concerns; null: unknown. The first word of a polymorphic one is the
// address of its virtual table.
template <class _Tp>
inline const void* __object_of(_Tp& __awaiter, const void* __promise) noexcept {
  constexpr unsigned long __skipped = __is_polymorphic(_Tp) ? sizeof(void*) : 0;
  if constexpr (sizeof(_Tp) < sizeof(void*) + __skipped || __is_empty(_Tp) ||
                alignof(_Tp) < sizeof(void*))
    return static_cast<void>(__awaiter), static_cast<void>(__promise), nullptr;
  else
    return ::skein::__detail::__object_in(
        static_cast<const char*>(::skein::__detail::__address_of(__awaiter)) + __skipped,
        sizeof(_Tp) - __skipped, __promise);
}

// Holds the awaited object (T: a value, or a reference to an object of the coroutine), and its
// awaiter if that is another object.
template <class _Tp>
struct __held {
  _Tp __object;
  template <class... _Fp>
  explicit __held(_Fp&&... __from)
      : __object(::skein::__detail::__awaitable_of(static_cast<_Fp&&>(__from)...)) {}
  auto& __awaiter() noexcept { return __object; }
  using __named = typename __unreferenced<_Tp>::__type;
  template <__target _Target>
  const void* __concerned(const void* __promise) noexcept {
    if constexpr (_Target == __target::__lvalue && !__is_empty(__named))
      return const_cast<const void*>(
          static_cast<const volatile void*>(__builtin_addressof(__object)));
    else
      return ::skein::__detail::__object_of(__object, __promise);
  }
  uint64_t __task() {
    return ::skein::__detail::__awaited_task(::skein::__detail::__address_of(__object),
                                             sizeof __object);
  }
};
template <class _Tp>
requires __has_member_co_await<_Tp> || __has_free_co_await<_Tp>
struct __held<_Tp> {
  using _Awaiter = decltype(::skein::__detail::__awaiter_of(::skein::__detail::__some<_Tp>()));
  _Tp __object;
  _Awaiter __inner;
  template <class... _Fp>
  explicit __held(_Fp&&... __from)
      : __object(::skein::__detail::__awaitable_of(static_cast<_Fp&&>(__from)...)),
        __inner(::skein::__detail::__awaiter_of(static_cast<_Tp&&>(__object))) {}
  auto& __awaiter() noexcept { return __inner; }
  // An lvalue is the object itself: `co_await event;`
  using __named = typename __choose<__is_same(_Tp, typename __unreferenced<_Tp>::__type&),
                                    typename __unreferenced<_Tp>::__type,
                                    typename __unreferenced<_Awaiter>::__type>::__type;
  template <__target>
  const void* __concerned(const void* __promise) noexcept {
    if constexpr (__is_same(_Tp, typename __unreferenced<_Tp>::__type&))
      return ::skein::__detail::__address_of(__object);
    else
      return ::skein::__detail::__object_of(__inner, __promise);
  }
  uint64_t __task() {
    const uint64_t __id = ::skein::__detail::__awaited_task(
        ::skein::__detail::__address_of(__object), sizeof __object);
    return __id != 0 ? __id
                     : ::skein::__detail::__awaited_task(::skein::__detail::__address_of(__inner),
                                                         sizeof __inner);
  }
};

template <class _Tp>
using __awaiter_type = typename __bare<decltype(__some<__held<_Tp>&>().__awaiter())>::__type;

// Records that the coroutine continues if the inner await_suspend throws.
struct __resume_if_thrown {
  __frame* __f;
  ~__resume_if_thrown() {
    if (__f != nullptr && skein_enabled()) ::skein::__detail::__resumed(*__f);
  }
};

// The promise of an awaiter. The final awaiter needs none: its coroutine does not resume.
template <class _Dp, __step _Step>
struct __of_promise {
  _Dp* __self;
};
template <class _Dp>
struct __of_promise<_Dp, __step::final> {
  explicit __of_promise(_Dp*) {}
};

// The handle as the compiler passes it to await_suspend.
#if defined(__clang__)
template <class _Pp>
using __passed_handle = std::coroutine_handle<_Pp>&&;
#else
template <class _Pp>
using __passed_handle = std::coroutine_handle<_Pp>&;
#endif

// True if the functions of the awaiter can be called here. Of some, only a friend can.
template <class _Awaiter, class _Pp>
concept __accessible_awaiter = requires(_Awaiter& __a, std::coroutine_handle<_Pp> __h) {
  __a.await_ready();
  __a.await_suspend(static_cast<__passed_handle<_Pp>>(__h));
  __a.await_resume();
};
// True if a function of the awaiter has a defaulted parameter, which may be the source location: in
// a call by this header it would have another value. False if await_suspend is a template, which
// would get the handle of another promise, or overloaded.
template <class _Awaiter>
inline constexpr bool __has_defaults = requires {
  &_Awaiter::await_suspend;
}
&&(
    !requires { typename __signature<decltype(&_Awaiter::await_suspend)>::__parameter; } ||
    requires { requires !__is_nullary<decltype(&_Awaiter::await_ready)>; } ||
    requires { requires !__is_nullary<decltype(&_Awaiter::await_resume)>; });

// True if a function of the awaiter is consteval: it is called with an object in the coroutine.
template <class _Awaiter, class _Pp>
inline constexpr bool __is_immediate_awaiter =
    SKEIN_DETAIL_IMMEDIATE(_Awaiter, SKEIN_DETAIL_UNKNOWN(_Awaiter&), await_ready) ||
    SKEIN_DETAIL_IMMEDIATE(_Awaiter, SKEIN_DETAIL_UNKNOWN(_Awaiter&), await_suspend,
                           SKEIN_DETAIL_UNKNOWN(__passed_handle<_Pp>)) ||
    SKEIN_DETAIL_IMMEDIATE(_Awaiter, SKEIN_DETAIL_UNKNOWN(_Awaiter&), await_resume);

// True if the compiler must see the operand A: operator co_await converts it, also to a base class,
// or a function of the awaiter A is consteval and co_await calls no other function for it.
template <class _Pp, class _Ap>
constexpr bool __left_to_compiler() {
  if constexpr (__names_await_transform<_Pp> || !__awaitable<_Ap> || __has_member_co_await<_Ap>)
    return false;
  else if constexpr (__has_free_co_await<_Ap>)
    return __converts_for_co_await<_Ap> || ::skein::__detail::__takes_a_base<_Ap>();
  else if constexpr (__accessible_awaiter<typename __bare<_Ap>::__type, _Pp>)
    return __is_immediate_awaiter<typename __bare<_Ap>::__type, _Pp>;
  else
    return false;
}

// The awaiter that the compiler sees. D: the promise that the compiler sees. The location is a
// default argument of the functions that need it, and not a member: while recording is off, it
// costs nothing.
//
// A member class: for a template specialisation, argument-dependent lookup of operator co_await
// would search the namespaces of the arguments, where a template may accept anything.
//
// The last argument is the type of the inner awaiter: `skein ps` reads it from the names of the
// member functions, to find in the memory of the process what the coroutine waits for.
template <class _Dp, __step _Step, class _Tp, __target _Target, class _Inner>
struct __traced_awaiter_for {
  struct __type : __of_promise<_Dp, _Step> {
    __held<_Tp> __inner;

    template <class... _Fp>
    explicit __type(_Dp* __d, _Fp&&... __from) noexcept(_Step == __step::final)
        : __of_promise<_Dp, _Step>{__d}, __inner(static_cast<_Fp&&>(__from)...) {}
    __type(const __type&) = delete;

    using _Handle = std::coroutine_handle<typename _Dp::skein_promise_type>;
    using _Awaiter = decltype(::skein::__detail::__some<__held<_Tp>&>().__awaiter());
    using _Passed = __passed_handle<typename _Dp::skein_promise_type>;
    using _Suspended = decltype(::skein::__detail::__some<_Awaiter>().await_suspend(
        ::skein::__detail::__some<_Passed>()));
    static constexpr bool _KSuspendsNoexcept = noexcept(
        ::skein::__detail::__some<_Awaiter>().await_suspend(::skein::__detail::__some<_Passed>()));

    bool await_ready(::skein::__detail::__place __here = SKEIN_DETAIL_PLACE) noexcept(
        _Step == __step::final || noexcept(::skein::__detail::__some<_Awaiter>().await_ready())) {
      const bool __ready = static_cast<bool>(__inner.__awaiter().await_ready());
      if constexpr (_Step == __step::__initial && !__is_same(_Tp, std::suspend_never) &&
                    !__is_same(_Tp, std::suspend_always)) {
        if (__ready) ::skein::__detail::__started(this->__self->skein_frame);
      } else if constexpr (_Step == __step::__await || _Step == __step::__yield) {
        if (__ready && skein_enabled()) {
          ::skein::__detail::__resumed_before_ready(this->__self->skein_frame);
          if constexpr (_Step == __step::__await) {
            skein_task* __task = &this->__self->skein_frame.__task;
            if (const void* __object = __concerned())
              skein_ready_on(__task, __object,
                             ::skein::__detail::__type_name<typename __held<_Tp>::__named>(),
                             __here.__get());
            else
              skein_ready(__task, __awaited(), __here.__get());
          }
        }
      }
      return __ready;
    }

    template <class _Hp>
    SKEIN_DETAIL_OUT_OF_FRAME _Suspended await_suspend(
        _Hp __h,
        ::skein::__detail::__place __here = SKEIN_DETAIL_PLACE) noexcept(_Step == __step::final ||
                                                                         _KSuspendsNoexcept) {
      _Handle __handle = _Handle::from_address(__h.address());
      if constexpr (_Step == __step::__await || _Step == __step::__yield) {
        __frame& __f = this->__self->skein_frame;
        if (skein_enabled()) {
          ::skein::__detail::__resumed_unreported(__f);
          if (const void* __object = __concerned())
            skein_suspend_on(&__f.__task, __object,
                             ::skein::__detail::__type_name<typename __held<_Tp>::__named>(),
                             __here.__get(), ::skein::__detail::__previous_of(__f));
          else
            skein_suspend(&__f.__task, __awaited(), __here.__get(),
                          ::skein::__detail::__previous_of(__f));
        }
        __f.__previous = _KSuspended;
      }
      if constexpr (_Step == __step::final || _KSuspendsNoexcept) {
        return __inner.__awaiter().await_suspend(static_cast<_Passed>(__handle));
      } else {
        __resume_if_thrown __guard{&this->__self->skein_frame};
        if constexpr (__is_same(_Suspended, void)) {
          __inner.__awaiter().await_suspend(static_cast<_Passed>(__handle));
          __guard.__f = nullptr;
        } else {
          _Suspended __result = __inner.__awaiter().await_suspend(static_cast<_Passed>(__handle));
          __guard.__f = nullptr;
          return __result;
        }
      }
    }

    decltype(auto) await_resume() noexcept(
        noexcept(::skein::__detail::__some<_Awaiter>().await_resume())) {
      if constexpr (_Step != __step::final) {
        if (skein_enabled() && ::skein::__detail::__not_running(this->__self->skein_frame))
          ::skein::__detail::__resumed(this->__self->skein_frame);
      }
      return __inner.__awaiter().await_resume();
    }

   private:
    // The object that is awaited, if it is neither a task nor one of skein's primitives; else null.
    const void* __concerned() noexcept {
      if constexpr (_Target == __target::__task || _Step != __step::__await ||
                    requires { __inner.__awaiter().skein_awaits(); })
        return nullptr;
      else
        return __inner.template __concerned<_Target>(this->__self);
    }
    uint64_t __awaited() {
      if constexpr (requires { __inner.__awaiter().skein_awaits(); })  // skein/sync.h
        return __inner.__awaiter().skein_awaits();
      else if constexpr (_Target == __target::__task)
        return __inner.__task();
      else
        return 0;
    }
  };
};
template <class _Dp, __step _Step, class _Tp, __target _Target>
using __traced_awaiter =
    typename __traced_awaiter_for<_Dp, _Step, _Tp, _Target, __awaiter_type<_Tp>>::__type;

// The awaiter of an operand that is converted. A kept call ends after its awaiter.
template <class _Call, class _Awaiter>
struct __kept_awaiter_for {
  struct __type : _Call, _Awaiter {
    template <class _Dp, class _Pp, class _Ap>
    __type(_Dp* __d, _Pp& __p, _Ap&& __a, __place __here)
        : _Call(__p, static_cast<_Ap&&>(__a), __here),
          _Awaiter(__d, static_cast<_Call&>(*this), __from_kept{}) {}
  };
};
template <class _Call, class _Awaiter>
using __kept_awaiter = typename __kept_awaiter_for<_Call, _Awaiter>::__type;
// The same if the compiler must see the awaiter unchanged.
template <class _Tp, bool _Operator>
struct __kept_awaitable {
  __kept_call<_Tp, _Operator> __call;
  decltype(auto) operator co_await() {
    auto&& __awaitable = __call.__result();
    if constexpr (__has_member_co_await<_Tp> || __has_free_co_await<_Tp>)
      return ::skein::__detail::__awaiter_of(static_cast<_Tp&&>(__awaitable));
    else
      return (__awaitable);
  }
};

// ---- await_transform ----

// True if P has exactly one await_transform, with a parameter that can be passed on.
template <class _Pp>
constexpr bool __has_await_twin() {
  if constexpr (__unary_await_transform<_Pp>) {
    using _Xp = typename __signature<decltype(&_Pp::await_transform)>::__parameter;
    return __passes_on<_Xp> && __takes_await_transform<_Pp, _Xp>;
  } else {
    return false;
  }
}

// Base, with the await_transform that the compiler finds. D: the promise `traced`.
//  - P has none, a template or several: a template that accepts what P accepts, by reference. If
//    that may involve a conversion, or operator co_await takes an object, a kept_call makes the
//    call. Another template accepts the objects that P takes by value; they live until the
//    coroutine resumes.
//  - P has exactly one, and its parameter can be passed on: a twin. Conversions to the parameter
//    then happen in the coroutine, and last until it resumes.
//  - Two kinds of operands are left to the compiler: a call of a consteval function must be a
//    constant expression, and a conversion for operator co_await must last.
//  - Any other: P's own. Its suspensions are recorded without a location.
template <class _Pp, class _Dp, class _Base>
struct __awaiting : _Base {
  using _Base::_Base;
  template <class _Ap>
  requires((__takes_await_transform<_Pp, _Ap> ||
            !__names_await_transform<_Pp>)&&!__awaits_object<_Pp, typename __bare<_Ap>::__type> &&
           !::skein::__detail::__left_to_compiler<_Pp, _Ap>()) decltype(auto)
      await_transform(_Ap&& __a, ::skein::__detail::__place __here = SKEIN_DETAIL_PLACE) {
    if constexpr (::skein::__detail::__binds_operand<_Pp, _Ap>())
      return static_cast<_Dp*>(this)->template skein_await<_Ap>(static_cast<_Ap&&>(__a), __here);
    else
      return static_cast<_Dp*>(this)->template skein_await_kept<_Ap>(static_cast<_Ap&&>(__a),
                                                                     __here);
  }
  template <class _Ap>
  requires(::skein::__detail::__left_to_compiler<_Pp, _Ap>()) constexpr _Ap&& await_transform(
      _Ap&& __a) {
    return static_cast<_Ap&&>(__a);
  }
  template <class _Xp>
  requires __awaits_object<_Pp, _Xp>
  decltype(auto) await_transform(_Xp __x) {
    return static_cast<_Dp*>(this)->template skein_await<_Xp&>(
        __x, __in_place<__object_result<_Pp, _Xp>>{});
  }
};
template <class _Pp, class _Dp, class _Base>
requires __one_await_transform<_Pp>
struct __awaiting<_Pp, _Dp, _Base> : _Base {
  using _Base::_Base;
};
template <class _Pp, class _Dp, class _Base>
requires(__one_await_transform<_Pp>&& ::skein::__detail::__has_await_twin<_Pp>()) struct __awaiting<
    _Pp, _Dp, _Base> : _Base {
  using _Base::_Base;
  using _Xp = typename __signature<decltype(&_Pp::await_transform)>::__parameter;
  decltype(auto) await_transform(_Xp __x,
                                 __not_virtual = {}) requires(!__transforms_immediately<_Pp, _Xp>) {
    return static_cast<_Dp*>(this)->template skein_await<_Xp>(static_cast<_Xp&&>(__x));
  }
  consteval decltype(auto) await_transform(_Xp __x, __not_virtual = {}) requires
      __transforms_immediately<_Pp, _Xp> {
    return static_cast<_Dp*>(this)->skein_inner().await_transform(static_cast<_Xp&&>(__x));
  }
};

// ---- awaiters that the compiler sees unchanged ----

// True if the await_suspend of an awaitable T accepts nothing but a handle of P or an untyped one:
// a template would be instantiated with the handle of another promise.
template <class _Pp, class _Tp>
constexpr bool __suspends_with_own_handle() {
  if constexpr (!__awaitable<_Tp>) {
    return false;
  } else {
    using _Awaiter = __awaiter_type<_Tp>;
    if constexpr (requires {
                    typename __signature<decltype(&_Awaiter::await_suspend)>::__parameter;
                  }) {
      using _Accepted = typename __bare<
          typename __signature<decltype(&_Awaiter::await_suspend)>::__parameter>::__type;
      return __is_same(_Accepted, std::coroutine_handle<_Pp>) ||
             __is_same(_Accepted,
                       std::coroutine_handle<typename __choose<true, void, _Pp>::__type>);
    } else {
      return false;
    }
  }
}

// True if the awaiter of an awaitable T can be wrapped in one that records. Otherwise the compiler
// sees it unchanged, and the task is suspended without a location until its next recorded step.
template <class _Pp, class _Tp>
constexpr bool __wrappable() {
  if constexpr (!__awaitable<_Tp>)
    return false;
  else if constexpr (!__accessible_awaiter<__awaiter_type<_Tp>, _Pp>)
    return false;
  else if constexpr (__is_immediate_awaiter<__awaiter_type<_Tp>, _Pp>)
    return false;
  else  // the handle of a contained promise is not converted
    return __contained<_Pp> || !__has_defaults<__awaiter_type<_Tp>>;
}
// True if a result T of initial_suspend or final_suspend is wrappable, and has no defaulted
// parameter: it would be the coroutine's location, for which this header has no substitute.
template <class _Pp, class _Tp>
constexpr bool __suspends_plainly() {
  if constexpr (__is_same(_Tp, std::suspend_always) || __is_same(_Tp, std::suspend_never))
    return true;
  else if constexpr (::skein::__detail::__wrappable<_Pp, _Tp>())
    return !__has_defaults<__awaiter_type<_Tp>>;
  else
    return false;
}

}  // namespace skein::SKEIN_DETAIL_NAMESPACE

#endif  // SKEIN_COROUTINE_AWAITING_H
