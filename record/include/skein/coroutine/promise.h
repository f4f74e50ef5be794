// Part of skein/coroutine.h: the promise that the compiler sees instead of the library's.
#ifndef SKEIN_COROUTINE_PROMISE_H
#define SKEIN_COROUTINE_PROMISE_H
#ifndef SKEIN_COROUTINE_H
#error "skein: include skein/coroutine.h"
#endif

#include <skein/coroutine/awaiting.h>
#include <skein/coroutine/yielding.h>

#include <new>

namespace skein::detail {

// True if compilers construct P from the coroutine's parameters. They initialise the members of an
// aggregate with them if they can; but g++ does not initialise a trivial one at all.
template <class P, class... A>
inline constexpr bool takes_parameters = sizeof...(A) != 0 && __is_constructible(P, A&...);
#if defined(__GNUC__) && !defined(__clang__)
template <class P, class... A>
requires(__is_aggregate(P) &&
         __is_trivially_constructible(P)) inline constexpr bool takes_parameters<P, A...> = false;
#endif

// A final promise as the first member, with the members that the compiler looks up.
template <class P>
struct box {
  P skein_promise;

  box() requires requires { P(); }
  = default;
  template <class... A>
  requires takes_parameters<P, A...>
  explicit box(A&... a) : skein_promise(a...) {}
  using skein_boxed_type = P;
  decltype(auto) get_return_object() { return skein_promise.get_return_object(); }
};
template <class P>
concept returns_void = requires(P& p) {
  p.return_void();
};
template <class P>
struct box_returning_void : box<P> {
  using box<P>::box;
  void return_void() { this->skein_promise.return_void(); }
};
// A single return_value: a twin.
template <class P, class X>
struct box_returning_exactly : box<P> {
  using box<P>::box;
  void return_value(X x) { this->skein_promise.return_value(static_cast<X&&>(x)); }
};
// A template, or several: a template. X: a type that P accepts in braces; for all that has no type.
template <class P, class... X>
struct box_returning_any : box<P> {
  using box<P>::box;
  template <class V>
  requires takes_return_value<P, V>
  void return_value(V&& v) { this->skein_promise.return_value(static_cast<V&&>(v)); }
};
template <class P, class X>
struct box_returning_any<P, X> : box_returning_any<P> {
  using box_returning_any<P>::box_returning_any;
  using box_returning_any<P>::return_value;
  void return_value(X&& x) { this->skein_promise.return_value(static_cast<X&&>(x)); }
};

// The first type that a coroutine of P is likely to return; void: unknown.
template <class... T>
struct first_of {
  using type = void;
};
template <class T, class... Rest>
struct first_of<types<T, Rest...>> {
  using type = T;
};
template <class P, class R>
using returned_hint =
    typename first_of<decltype(::skein::detail::value_type_hint<P>() + hints<P, R>{})>::type;

template <class P, class T>
concept takes_braces = requires(P& p, T (*t)()) {
  p.return_value({static_cast<T&&>(t())});
};
template <class P, class T>
concept takes_other_braces = requires(P& p) {
  p.return_value({any_but<T>{}});
};
template <class T>
struct returns_only {
  void return_value(T&&);
};
// True if a return_value that is no template accepts another type than T: with it, braces that are
// accepted for T become ambiguous.
template <class P, class T>
inline constexpr bool returns_others = takes_other_braces<P, T> !=
                                       (takes_braces<P, T> &&
                                        takes_other_braces<returns_only<T>, T>);
// True if a template takes objects of any type by value, and void is its declared return type. Its
// body is not compiled.
struct any_object : any_value {
  ~any_object();
};
template <class P>
concept returns_objects = requires {
  static_cast<void (P::*)(any_object)>(&P::return_value);
};
template <class P, class R>
constexpr auto box_for() {
  using T = returned_hint<P, R>;
  if constexpr (returns_void<P>) {
    return bare<box_returning_void<P>>{};
  } else if constexpr (unary_return_value<P>) {
    using X = typename signature<decltype(&P::return_value)>::parameter;
    if constexpr (passes_on<X> && takes_return_value<P, X>)
      return bare<box_returning_exactly<P, X>>{};
  } else if constexpr (!one_return_value<P> && takes_return_value<P, T>) {
    if constexpr (exactly_return_value<P, T> && !passes_on<T>)
      ;  // taken by value: a second move would be observable
    else if constexpr (returns_objects<P>)
      ;  // other types are taken by value
    else if constexpr (returns_others<P, T>)
      ;  // an overload for another type, for which braces are not passed on
    else if constexpr (takes_braces<P, T>)
      return bare<box_returning_any<P, T>>{};
    else
      return bare<box_returning_any<P>>{};
  }
}
// Allocates as the compiler would for P.
template <class P, class B>
struct box_allocating : B {
  using B::B;
  static void* operator new(unsigned long size) {
    if constexpr (requires { P::operator new(size); })
      return P::operator new(size);
    else
      return ::operator new(size);
  }
  template <class First, class... Rest>
  requires requires(unsigned long n, First& f, Rest&... r) { P::operator new(n, f, r...); }
  static void* operator new(unsigned long size, First& first, Rest&... rest) {
    return P::operator new(size, first, rest...);
  }
  static void operator delete(void* p, unsigned long size) {
    if constexpr (requires { P::operator delete(p, size); })
      P::operator delete(p, size);
    else if constexpr (requires { P::operator delete(p); })
      P::operator delete(p);
    else
      ::operator delete(p);
  }
};
template <class P>
concept falls_back = requires {
  P::get_return_object_on_allocation_failure();
};
template <class P, class B>
struct box_falling_back : B {
  using B::B;
  static decltype(auto) get_return_object_on_allocation_failure() {
    return P::get_return_object_on_allocation_failure();
  }
  static void* operator new(unsigned long size, const std::nothrow_t& tag) noexcept {
    if constexpr (requires { P::operator new(size, tag); })
      return P::operator new(size, tag);
    else if constexpr (requires { P::operator new(size); })
      return P::operator new(size);
    else
      return ::operator new(size, tag);
  }
  static void* operator new(unsigned long size) noexcept {
    return operator new(size, std::nothrow);
  }
  template <class First, class... Rest>
  requires requires(unsigned long n, First& f, Rest&... r) { P::operator new(n, f, r...); }
  static void* operator new(unsigned long size, First& first, Rest&... rest) noexcept {
    return P::operator new(size, first, rest...);
  }
  static void operator delete(void* p, unsigned long size) { B::operator delete(p, size); }
};

template <class P, class R>
struct boxed {
  using returning = typename decltype(::skein::detail::box_for<P, R>())::type;
  using allocating = box_allocating<P, returning>;
  using type = typename choose<falls_back<P>, box_falling_back<P, allocating>, allocating>::type;
};

// An aggregate as a base class, with the constructor that it lacks.
template <class P>
struct aggregate : P {
  aggregate() = default;
  template <class... A>
  requires takes_parameters<P, A...>
  explicit aggregate(A&... a) : P(a...) {}
};
template <class P>
using base_for = typename choose<__is_aggregate(P), aggregate<P>, P>::type;

// Base: P, or a class that contains P. The frame is not in P's padding, which P may overwrite.
template <class P, class Base, uint32_t Kind, class... Yielded>
struct traced : awaiting<P, traced<P, Base, Kind, Yielded...>,
                         yielding<traced<P, Base, Kind, Yielded...>, Base, Yielded...>> {
  using awaiting<P, traced, yielding<traced, Base, Yielded...>>::awaiting;
  using skein_promise_type = P;
  static constexpr uint32_t kSkeinKind = Kind;
  alignas(P) alignas(frame)::skein::detail::frame skein_frame;

  ~traced() {
    if (skein_frame.task.id != 0 && skein_frame.previous != kEnded && skein_enabled())
      skein_cancel(&skein_frame.task);
  }

  // Records the creation, and not in initial_suspend: g++ inlines the code up to an initial
  // suspension into the caller if it is short; and it has the function's readable name only here,
  // there it is "void f(f(int)::_Z1fi.Frame*)". (The line is that of the closing brace in both.)
  decltype(auto) get_return_object(::skein::detail::place where = SKEIN_DETAIL_PLACE,
                                   const char* name = __builtin_FUNCTION()) {
    constexpr bool runs = __is_same(decltype(some<P&>().initial_suspend()), std::suspend_never);
    if (skein_enabled())
      ::skein::detail::created(skein_frame, this, Kind, name, where.get(), runs);
    else
      skein_frame.previous = runs ? 0 : kNotStarted;
    return skein_inner().get_return_object();
  }
  auto initial_suspend(not_virtual = {}) {
    using T = decltype(some<P&>().initial_suspend());
    return ::skein::detail::traced_awaiter<traced, step::initial, T, false>(this, skein_inner(),
                                                                            from_initial{});
  }
  auto final_suspend(not_virtual = {}) noexcept {
    if (skein_enabled()) ::skein::detail::ended(skein_frame);
    using T = decltype(some<P&>().final_suspend());
    return ::skein::detail::traced_awaiter<traced, step::final, T, false>(this, skein_inner(),
                                                                          from_final{});
  }
  void unhandled_exception(not_virtual = {}) noexcept(noexcept(some<P&>().unhandled_exception())) {
    if (skein_frame.task.id != 0 && skein_enabled()) ::skein::detail::failed(skein_frame);
    skein_inner().unhandled_exception();
  }
  // how: in_place, if P takes the object `a` by value; or the location of the co_await, for P.
  template <class A, class... How>
  decltype(auto) skein_await(A&& a, How... how) {
    using T = decltype(::skein::detail::awaitable_of(some<P&>(), static_cast<A&&>(a), how...));
    if constexpr (::skein::detail::wrappable<P, T>())
      return ::skein::detail::traced_awaiter < traced, step::await, T,
             ::skein::detail::is_task_object<A> ||
                 ::skein::detail::is_task_object < T >>
                     (this, skein_inner(), static_cast<A&&>(a), how...);
    else
      return ::skein::detail::awaitable_of(skein_inner(), static_cast<A&&>(a), how...);
  }
  template <class A>
  decltype(auto) skein_await_kept(A&& a, ::skein::detail::place here) {
    using T = decltype(::skein::detail::awaitable_of(some<P&>(), static_cast<A&&>(a), here));
    constexpr bool is_task =
        ::skein::detail::is_task_object<A> || ::skein::detail::is_task_object<T>;
    if constexpr (::skein::detail::wrappable<P, T&&>())
      return ::skein::detail::kept_awaiter<kept_call<T>,
                                           traced_awaiter<traced, step::await, T&&, is_task>>(
          this, skein_inner(), static_cast<A&&>(a), here);
    else if constexpr (awaitable<T> || names_await_ready<typename unreferenced<T>::type>)
      return ::skein::detail::kept_awaitable<T>{{skein_inner(), static_cast<A&&>(a), here}};
    else
      return ::skein::detail::awaitable_of(skein_inner(), static_cast<A&&>(a), here);
  }
  template <class X>
  auto skein_yield(typename unreferenced<X>::type& x) {
    return ::skein::detail::traced_awaiter<traced, step::yield, yield_value_result<P, X>, false>(
        this, skein_inner(), static_cast<X&&>(x), from_yield{});
  }

 private:
  P& skein_inner() noexcept {
    if constexpr (__is_final(P))
      return this->skein_promise;
    else
      return *this;
  }
};

// Specialise as true for a library's internal coroutines, which are then not traced.
template <class R, class... A>
inline constexpr bool plumbing = false;
template <class T, class... A>
inline constexpr bool plumbing<keeper<T>, A...> = true;

// ---- which promises are traced ----

// True if P's function with this name can be called, and has no defaulted parameter if it is the
// only one. A default such as std::source_location::current() would have another value in the
// header.
#define SKEIN_DETAIL_PLAIN(name)           \
  template <class P>                       \
  concept plain_##name = requires(P & p) { \
    p.name();                              \
  }                                        \
  &&(                                      \
      !requires { &P::name; } || requires { requires is_nullary<decltype(&P::name)>; });
SKEIN_DETAIL_PLAIN(get_return_object)
SKEIN_DETAIL_PLAIN(initial_suspend)
SKEIN_DETAIL_PLAIN(final_suspend)
SKEIN_DETAIL_PLAIN(unhandled_exception)
#undef SKEIN_DETAIL_PLAIN

// True if a constructor has a defaulted parameter for the source location.
#if __has_builtin(__builtin_source_location)
template <class P, class... A>
inline constexpr bool constructed_with_location = __is_constructible(P, A...,
                                                                     std::source_location) &&
                                                  !__is_constructible(P, A..., nothing);
#else
template <class P, class... A>
inline constexpr bool constructed_with_location = false;
#endif

// True if the allocation function of P cannot be called here, only by friends of P.
template <class P, class... A>
inline constexpr bool hides_allocation = requires(unsigned long size, P* p) {
  ::new P;
  ::delete p;
}
&&!requires(P * p) {
  new P;
  delete p;
}
&&!requires(unsigned long size) { P::operator new(size); }
&&!requires(unsigned long size, A&... a) { P::operator new(size, a...); };

// True if a class derived from P, or one that contains it, can call what the compiler calls.
template <class P, class... A>
concept accessible = plain_get_return_object<P> && plain_initial_suspend<P> &&
                     plain_final_suspend<P> &&
#if defined(__cpp_exceptions)
                     plain_unhandled_exception<P> &&
#endif
                     (__is_constructible(P) || __is_constructible(P, A&...)) &&
                     !constructed_with_location<P> && !constructed_with_location<P, A&...> &&
                     !(__is_final(P) && hides_allocation<P, A...>);

// True if the compiler would copy the promise from the coroutine's only parameter.
template <class P, class... A>
inline constexpr bool copies_promise = false;
template <class P, class A>
inline constexpr bool copies_promise<P, A> = requires(typename bare<A>::type* from,
                                                      void (*as)(const P*)) {
  as(from);
};  // may be incomplete

// An operation of Asio's use_awaitable, as a coroutine that starts it and is never resumed: the
// handler stores the result in the promise. It is not traced, because neither its end nor its
// failure can be observed. (skein/asio.h traces the operation itself.)
struct any_executor {};
template <class P, class... A>
inline constexpr bool starts_asio_operation = false;
template <class P, class Initiation, class Token, class... A>
inline constexpr bool starts_asio_operation<P, Initiation, Token, A...> =
    is_asio_promise<P>&& requires {
  typename bare<Token>::type::template executor_with_default<any_executor>;
};

// True if a yield of an X gets an awaiter that accepts P's handle only.
template <class P, class X>
constexpr bool yield_is_safe() {
  if constexpr (takes_yield_value<P, X>)
    return ::skein::detail::suspends_with_own_handle<P, yield_value_result<P, X>>();
  else
    return true;
}
template <class P, class... X>
constexpr bool yields_are_safe(types<X...>) {
  return (true && ... && ::skein::detail::yield_is_safe<P, X>());
}
// The same for the first hinted type; the others are not tried, as in yields_first.
template <class P>
constexpr bool first_yield_is_safe(types<>) {
  return true;
}
template <class P, class T, class... Rest>
constexpr bool first_yield_is_safe(types<T, Rest...>) {
  if constexpr (takes_yield_value<P, T>)
    return ::skein::detail::yield_is_safe<P, T>();
  else
    return ::skein::detail::yield_is_safe<P, T&>();
}
// True if all yields and awaits that are not traced get an awaiter that accepts P's handle only, as
// far as is known.
template <class P, class R>
constexpr bool untraced_yield_is_safe() {
  using All = decltype(::skein::detail::all_yields<P, R>());
  if constexpr (yield_twins<P, R>::size != 0)
    return true;
  else if constexpr (All::size != 0)
    return ::skein::detail::yields_are_safe<P>(All{});
  else
    return ::skein::detail::first_yield_is_safe<P>(::skein::detail::value_type_hint<P>()) &&
           ::skein::detail::first_yield_is_safe<P>(hints<P, R>{});
}
template <class P>
constexpr bool untraced_await_is_safe() {
  if constexpr (!one_await_transform<P> || ::skein::detail::has_await_twin<P>()) {
    return true;
  } else if constexpr (unary_await_transform<P>) {
    using X = typename signature<decltype(&P::await_transform)>::parameter;
    if constexpr (takes_await_transform<P, X>)
      return ::skein::detail::suspends_with_own_handle<P, await_transform_result<P, X>>();
    else
      return false;
  } else {
    return false;
  }
}

// The promise that the compiler sees: P itself, untraced, if it cannot be wrapped.
template <class P, class R, class Twins>
struct promise_of;
template <class P, class R, class... X>
struct promise_of<P, R, types<X...>> {
  static constexpr uint32_t kKind =
      ::skein::detail::is_generator<P, R> ? SKEIN_KIND_generator : SKEIN_KIND_coroutine;
  static constexpr auto choose_type() {
    if constexpr (::skein::detail::hides_await_transform<P>()) {
      return bare<P>{};
    } else if constexpr (!__is_final(P)) {
      if constexpr (::skein::detail::untraced_yield_is_safe<P, R>() &&
                    ::skein::detail::untraced_await_is_safe<P>())
        return bare<traced<P, base_for<P>, kKind, X...>>{};
      else
        return bare<P>{};
    } else if constexpr (__is_same(decltype(::skein::detail::box_for<P, R>()), void) ||
                         (one_await_transform<P> && !::skein::detail::has_await_twin<P>())) {
      return bare<P>{};
    } else if constexpr (sizeof...(X) != 0) {
      return bare<traced<P, typename boxed<P, R>::type, kKind, X...>>{};
    } else if constexpr (final_yields<P, R>) {
      return bare<P>{};
    } else {
      return bare<traced<P, typename boxed<P, R>::type, kKind, undetected>>{};
    }
  }
  using type = typename decltype(choose_type())::type;
};
template <class P, class R, bool Plain, class... A>
struct promise_for {
  using type = P;
};
template <class P, class R, class... A>
requires(alignof(P) <= 2 * sizeof(void*) && accessible<P, A...> && !copies_promise<P, A...> &&
         !starts_asio_operation<P, A...>) struct promise_for<P, R, false, A...> {
  using type = typename promise_of<P, R, yield_twins<P, R>>::type;
};

}  // namespace skein::detail

namespace std {
// The handle passed to the awaiter of a yield without a twin. It records the suspension when it is
// converted to the handle type that the promise's awaiter uses; later conversions record nothing.
template <class P, class Base, ::uint32_t Kind, class... X>
requires(!__is_final(P)) struct coroutine_handle<::skein::detail::traced<P, Base, Kind, X...>> {
  using promise_type = ::skein::detail::traced<P, Base, Kind, X...>;
  using Untyped = coroutine_handle<typename ::skein::detail::choose<true, void, P>::type>;
  constexpr coroutine_handle() noexcept = default;
  constexpr coroutine_handle(decltype(nullptr)) noexcept {}
  static constexpr coroutine_handle from_address(void* address) noexcept {
    coroutine_handle handle;
    handle.address_ = address;
    return handle;
  }
  static coroutine_handle from_promise(promise_type& p) noexcept {
    return from_address(coroutine_handle<P>::from_promise(p).address());
  }
  constexpr void* address() const noexcept { return address_; }
  constexpr explicit operator bool() const noexcept { return address_ != nullptr; }
  bool done() const noexcept { return inner().done(); }
  void operator()() const { operator coroutine_handle<P>().resume(); }
  void resume() const { operator coroutine_handle<P>().resume(); }
  void destroy() const { inner().destroy(); }
  promise_type& promise() const { return static_cast<promise_type&>(inner().promise()); }
  operator coroutine_handle<P>() const noexcept {
    report_suspension();
    return inner();
  }
  operator Untyped() const noexcept {
    report_suspension();
    return inner();
  }

 private:
  coroutine_handle<P> inner() const noexcept { return coroutine_handle<P>::from_address(address_); }
  void report_suspension() const noexcept {
    if (address_ != nullptr && skein_enabled())
      ::skein::detail::suspended_unreported(promise().skein_frame);
  }
  void* address_ = nullptr;
};
}  // namespace std

#endif  // SKEIN_COROUTINE_PROMISE_H
