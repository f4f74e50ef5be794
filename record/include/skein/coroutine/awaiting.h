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
#define SKEIN_DETAIL_OUT_OF_FRAME __attribute__((noinline))
#else
#define SKEIN_DETAIL_OUT_OF_FRAME
#endif

namespace skein::detail {

template <class T>
concept has_member_co_await = requires(T&& t) {
  static_cast<T&&>(t).operator co_await();
};
template <class T>
concept has_free_co_await = requires(T&& t) {
  operator co_await(static_cast<T&&>(t));
};
template <class T>
concept awaitable = has_member_co_await<T> || has_free_co_await<T> || requires(T&& t) {
  t.await_ready();
};
// True if T is an awaiter whose functions may be private.
struct await_ready_name {
  void await_ready();
};
template <class T>
struct await_ready_probe : T, await_ready_name {};
template <class T>
concept names_await_ready = __is_class(T) && !__is_final(T) && !requires {
  &await_ready_probe<T>::await_ready;
};
// True if T is the return type of a coroutine.
template <class T>
concept is_task_object = requires {
  typename std::skein_original_coroutine_traits<typename bare<T>::type>::promise_type;
};

enum class step { initial, await, yield, final };

struct from_initial {};
struct from_final {};
struct from_yield {};
template <class R>
struct in_place {};   // an object that P takes by value, by an overload that returns R
struct from_kept {};  // the result of a kept_call

template <class P>
inline decltype(auto) awaitable_of(P& p, from_initial) {
  return p.initial_suspend();
}
template <class P>
inline decltype(auto) awaitable_of(P& p, from_final) noexcept {
  return p.final_suspend();
}
template <class P, class V>
inline decltype(auto) awaitable_of(P& p, V&& v, from_yield) {
  return p.yield_value(static_cast<V&&>(v));
}
template <class P, class X, class R>
inline decltype(auto) awaitable_of(P& p, X& x, in_place<R>) {
  return ::skein::detail::call_in_place<X, R>(p, x);
}
template <class Call>
inline auto&& awaitable_of(Call& call, from_kept) {
  return call.result();
}
template <class P, class A>
inline decltype(auto) awaitable_of(P& p, A&& a) {
  if constexpr (takes_await_transform<P, A>)
    return p.await_transform(static_cast<A&&>(a));
  else
    return static_cast<A&&>(a);
}

template <class P, class A>
inline decltype(auto) awaitable_of(P& p, A&& a, place here) {
#if __has_builtin(__builtin_source_location)
  if constexpr (takes_location<P, A>)
    return p.await_transform(static_cast<A&&>(a), here.location());
  else
#endif
    return ::skein::detail::awaitable_of(p, static_cast<A&&>(a));
}

template <class T>
inline decltype(auto) awaiter_of(T&& t) noexcept(noexcept(operator co_await(
    static_cast<T&&>(t)))) requires(!has_member_co_await<T> && has_free_co_await<T>) {
  return operator co_await(static_cast<T&&>(t));
}
template <class T>
inline decltype(auto) awaiter_of(T&& t) noexcept(
    noexcept(static_cast<T&&>(t).operator co_await())) requires has_member_co_await<T> {
  return static_cast<T&&>(t).operator co_await();
}

// Holds the awaited object (T: a value, or a reference to an object of the coroutine), and its
// awaiter if that is another object.
template <class T>
struct held {
  T object;
  template <class... F>
  explicit held(F&&... from) : object(::skein::detail::awaitable_of(static_cast<F&&>(from)...)) {}
  auto& awaiter() noexcept { return object; }
  uint64_t task() {
    return ::skein::detail::awaited_task(__builtin_addressof(object), sizeof object);
  }
};
template <class T>
requires has_member_co_await<T> || has_free_co_await<T>
struct held<T> {
  using Awaiter = decltype(::skein::detail::awaiter_of(::skein::detail::some<T>()));
  T object;
  Awaiter inner;
  template <class... F>
  explicit held(F&&... from)
      : object(::skein::detail::awaitable_of(static_cast<F&&>(from)...)),
        inner(::skein::detail::awaiter_of(static_cast<T&&>(object))) {}
  auto& awaiter() noexcept { return inner; }
  uint64_t task() {
    const uint64_t id = ::skein::detail::awaited_task(__builtin_addressof(object), sizeof object);
    return id != 0 ? id : ::skein::detail::awaited_task(__builtin_addressof(inner), sizeof inner);
  }
};

template <class T>
using awaiter_type = typename bare<decltype(some<held<T>&>().awaiter())>::type;

// Records that the coroutine continues if the inner await_suspend throws.
struct resume_if_thrown {
  frame* f;
  ~resume_if_thrown() {
    if (f != nullptr && skein_enabled()) ::skein::detail::resumed(*f);
  }
};

// The promise of an awaiter. The final awaiter needs none: its coroutine does not resume.
template <class D, step Step>
struct of_promise {
  D* self;
};
template <class D>
struct of_promise<D, step::final> {
  explicit of_promise(D*) {}
};

// The handle as the compiler passes it to await_suspend.
#if defined(__clang__)
template <class P>
using passed_handle = std::coroutine_handle<P>&&;
#else
template <class P>
using passed_handle = std::coroutine_handle<P>&;
#endif

// True if the functions of the awaiter can be called here. Of some, only a friend can.
template <class Awaiter, class P>
concept accessible_awaiter = requires(Awaiter& a, std::coroutine_handle<P> h) {
  a.await_ready();
  a.await_suspend(static_cast<passed_handle<P>>(h));
  a.await_resume();
};
// True if a function of the awaiter has a defaulted parameter, which may be the source location: in
// a call by this header it would have another value. False if await_suspend is a template, which
// would get the handle of another promise, or overloaded.
template <class Awaiter>
inline constexpr bool has_defaults = requires {
  &Awaiter::await_suspend;
}
&&(
    !requires { typename signature<decltype(&Awaiter::await_suspend)>::parameter; } ||
    requires { requires !is_nullary<decltype(&Awaiter::await_ready)>; } ||
    requires { requires !is_nullary<decltype(&Awaiter::await_resume)>; });

// The awaiter that the compiler sees. D: the promise that the compiler sees. Task: the awaited
// object is the return object of a coroutine. The location is a default argument of the functions
// that need it, and not a member: while recording is off, it costs nothing.
template <class D, step Step, class T, bool Task>
struct traced_awaiter : of_promise<D, Step> {
  held<T> inner;

  template <class... F>
  explicit traced_awaiter(D* d, F&&... from) noexcept(Step == step::final)
      : of_promise<D, Step>{d}, inner(static_cast<F&&>(from)...) {}
  traced_awaiter(const traced_awaiter&) = delete;

  using Handle = std::coroutine_handle<typename D::skein_promise_type>;
  using Awaiter = decltype(::skein::detail::some<held<T>&>().awaiter());
  using Passed = passed_handle<typename D::skein_promise_type>;
  using Suspended =
      decltype(::skein::detail::some<Awaiter>().await_suspend(::skein::detail::some<Passed>()));
  static constexpr bool kSuspendsNoexcept =
      noexcept(::skein::detail::some<Awaiter>().await_suspend(::skein::detail::some<Passed>()));

  bool await_ready(::skein::detail::place here = SKEIN_DETAIL_PLACE) noexcept(
      Step == step::final || noexcept(::skein::detail::some<Awaiter>().await_ready())) {
    const bool ready = static_cast<bool>(inner.awaiter().await_ready());
    if constexpr (Step == step::initial && !__is_same(T, std::suspend_never) &&
                  !__is_same(T, std::suspend_always)) {
      if (ready) ::skein::detail::started(this->self->skein_frame);
    } else if constexpr (Step == step::await || Step == step::yield) {
      if (ready && skein_enabled()) {
        ::skein::detail::resumed_before_ready(this->self->skein_frame);
        if constexpr (Step == step::await)
          skein_ready(&this->self->skein_frame.task, awaited(), here.get());
      }
    }
    return ready;
  }

  template <class H>
  SKEIN_DETAIL_OUT_OF_FRAME Suspended await_suspend(
      H h, ::skein::detail::place here = SKEIN_DETAIL_PLACE) noexcept(Step == step::final ||
                                                                      kSuspendsNoexcept) {
    Handle handle = Handle::from_address(h.address());
    if constexpr (Step == step::await || Step == step::yield) {
      frame& f = this->self->skein_frame;
      if (skein_enabled()) {
        ::skein::detail::resumed_unreported(f);
        skein_suspend(&f.task, awaited(), here.get(), ::skein::detail::previous_of(f));
      }
      f.previous = kSuspended;
    }
    if constexpr (Step == step::final || kSuspendsNoexcept) {
      return inner.awaiter().await_suspend(static_cast<Passed>(handle));
    } else {
      resume_if_thrown guard{&this->self->skein_frame};
      if constexpr (__is_same(Suspended, void)) {
        inner.awaiter().await_suspend(static_cast<Passed>(handle));
        guard.f = nullptr;
      } else {
        Suspended result = inner.awaiter().await_suspend(static_cast<Passed>(handle));
        guard.f = nullptr;
        return result;
      }
    }
  }

  decltype(auto) await_resume() noexcept(
      noexcept(::skein::detail::some<Awaiter>().await_resume())) {
    if constexpr (Step != step::final) {
      if (skein_enabled() && ::skein::detail::not_running(this->self->skein_frame))
        ::skein::detail::resumed(this->self->skein_frame);
    }
    return inner.awaiter().await_resume();
  }

 private:
  uint64_t awaited() {
    if constexpr (requires { inner.awaiter().skein_awaits(); })  // skein/sync.h
      return inner.awaiter().skein_awaits();
    else if constexpr (Task)
      return inner.task();
    else
      return 0;
  }
};

// The awaiter of an operand that is converted. A kept call ends after its awaiter.
template <class Call, class Awaiter>
struct kept_awaiter : Call, Awaiter {
  template <class D, class P, class A>
  kept_awaiter(D* d, P& p, A&& a, place here)
      : Call(p, static_cast<A&&>(a), here), Awaiter(d, static_cast<Call&>(*this), from_kept{}) {}
};
// The same if the compiler must see the awaiter unchanged.
template <class T>
struct kept_awaitable {
  kept_call<T> call;
  decltype(auto) operator co_await() {
    auto&& awaitable = call.result();
    if constexpr (has_member_co_await<T> || has_free_co_await<T>)
      return ::skein::detail::awaiter_of(static_cast<T&&>(awaitable));
    else
      return (awaitable);
  }
};

// ---- await_transform ----

// True if P has exactly one await_transform, with a parameter that can be passed on.
template <class P>
constexpr bool has_await_twin() {
  if constexpr (unary_await_transform<P>) {
    using X = typename signature<decltype(&P::await_transform)>::parameter;
    return passes_on<X> && takes_await_transform<P, X>;
  } else {
    return false;
  }
}

// Base, with the await_transform that the compiler finds. D: the promise `traced`.
//  - P has none, a template or several: a template that accepts what P accepts, by reference. If
//    that may involve a conversion, P is called by a kept_call. Another template accepts the
//    objects that P takes by value; they live until the coroutine resumes.
//  - P has exactly one, and its parameter can be passed on: a twin. Conversions to the parameter
//    then happen in the coroutine, and last until it resumes.
//  - Any other: P's own. Its suspensions are recorded without a location.
template <class P, class D, class Base>
struct awaiting : Base {
  using Base::Base;
  template <class A>
  requires((takes_await_transform<P, A> ||
            !names_await_transform<P>)&&!awaits_object<P, typename bare<A>::type>) decltype(auto)
      await_transform(A&& a, ::skein::detail::place here = SKEIN_DETAIL_PLACE) {
    if constexpr (::skein::detail::binds_operand<P, A>())
      return static_cast<D*>(this)->template skein_await<A>(static_cast<A&&>(a), here);
    else
      return static_cast<D*>(this)->template skein_await_kept<A>(static_cast<A&&>(a), here);
  }
  template <class X>
  requires awaits_object<P, X>
  decltype(auto) await_transform(X x) {
    return static_cast<D*>(this)->template skein_await<X&>(x, in_place<object_result<P, X>>{});
  }
};
template <class P, class D, class Base>
requires one_await_transform<P>
struct awaiting<P, D, Base> : Base {
  using Base::Base;
};
template <class P, class D, class Base>
requires(one_await_transform<P>&& ::skein::detail::has_await_twin<P>()) struct awaiting<P, D, Base>
    : Base {
  using Base::Base;
  using X = typename signature<decltype(&P::await_transform)>::parameter;
  decltype(auto) await_transform(X x, not_virtual = {}) {
    return static_cast<D*>(this)->template skein_await<X>(static_cast<X&&>(x));
  }
};

// ---- awaiters that the compiler sees unchanged ----

// True if the await_suspend of an awaitable T accepts nothing but a handle of P or an untyped one:
// a template would be instantiated with the handle of another promise.
template <class P, class T>
constexpr bool suspends_with_own_handle() {
  if constexpr (!awaitable<T>) {
    return false;
  } else {
    using Awaiter = awaiter_type<T>;
    if constexpr (requires { typename signature<decltype(&Awaiter::await_suspend)>::parameter; }) {
      using Accepted =
          typename bare<typename signature<decltype(&Awaiter::await_suspend)>::parameter>::type;
      return __is_same(Accepted, std::coroutine_handle<P>) ||
             __is_same(Accepted, std::coroutine_handle<typename choose<true, void, P>::type>);
    } else {
      return false;
    }
  }
}

// True if the awaiter of an awaitable T can be wrapped in one that records. Otherwise the compiler
// sees it unchanged, and the task is suspended without a location until its next recorded step.
template <class P, class T>
constexpr bool wrappable() {
  if constexpr (!awaitable<T>)
    return false;
  else if constexpr (__is_final(P))  // its handle is not converted
    return true;
  else
    return accessible_awaiter<awaiter_type<T>, P> && !has_defaults<awaiter_type<T>>;
}

}  // namespace skein::detail

#endif  // SKEIN_COROUTINE_AWAITING_H
