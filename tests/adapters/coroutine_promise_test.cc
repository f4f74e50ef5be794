// How skein/coroutine.h traces the promises of libraries: generators, final promises, promises with
// allocators and overloads. Compiled with -include skein/coroutine.h.
#include <doctest/doctest.h>

#include <algorithm>
#include <coroutine>
#include <cstdlib>
#include <exception>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tests/adapters/coroutine_types.h"
#include "tests/adapters/fake_recorder.h"

using namespace library;

namespace {
template <class T>
struct Generator {
  struct promise_type {
    const T* current = nullptr;
    Generator get_return_object() { return {Handle::from_promise(*this)}; }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(const T& v) {
      current = std::addressof(v);
      return {};
    }
    void await_transform() = delete;  // a generator cannot co_await
    void return_void() {}
    void unhandled_exception() { throw; }
  };
  using Handle = std::coroutine_handle<promise_type>;
  Handle handle;
  Generator(Handle h) : handle(h) {}
  Generator(Generator&& other) noexcept : handle(std::exchange(other.handle, nullptr)) {}
  ~Generator() {
    if (handle) handle.destroy();
  }
  const T* next() {
    handle.resume();
    return handle.done() ? nullptr : handle.promise().current;
  }
};

Generator<std::pair<int, int>> pairs() {
  co_yield {1, 2};  // a braced list
  std::pair<int, int> p{3, 4};
  co_yield p;
}
}  // namespace

TEST_CASE("generators: co_yield suspends, the consumer resumes; rethrown exceptions") {
  fake::reset();
  {
    auto g = pairs();
    CHECK(g.next()->second == 2);
    CHECK(g.next()->first == 3);
    CHECK(g.next() == nullptr);
  }
  CHECK(fake::words() == Words{"create 1 under 0 kind 2", "resume 1", "suspend 1 on 0 previous 0",
                               "resume 1", "suspend 1 on 0 previous 0", "resume 1",
                               "resolve 1 previous 0"});
  fake::reset();
  {
    auto fails = []() -> Generator<int> {
      co_yield 1;
      throw std::runtime_error("end");
    }();
    fails.next();
    CHECK_THROWS_AS(fails.next(), std::runtime_error);
  }
  CHECK(fake::words().back() == "fail 1 end previous 0");
}

namespace {
// Promises with an overloaded yield_value, or one whose parameter only accepts the argument by
// conversion.
template <class T, class Yields>
struct Yielder {
  struct promise_type : Yields {
    Yielder get_return_object() { return {Handle::from_promise(*this)}; }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { throw; }
  };
  using Handle = std::coroutine_handle<promise_type>;
  Handle handle;
  Yielder(Handle h) : handle(h) {}
  Yielder(Yielder&& other) noexcept : handle(std::exchange(other.handle, nullptr)) {}
  ~Yielder() {
    if (handle) handle.destroy();
  }
  std::string all() {
    for (handle.resume(); !handle.done(); handle.resume()) handle.promise().text += " ";
    return handle.promise().text;
  }
};
using Pair = std::pair<int, const char*>;
struct ByReference {
  std::string text;
  std::suspend_always yield_value(const Pair& p) { return text += p.second, std::suspend_always{}; }
  std::suspend_always yield_value(Pair&& p) {
    text += "&&";
    return text += p.second, std::suspend_always{};
  }
};
// As in cppcoro: one overload is a template.
struct Half {
  std::string text;
  template <class U = Pair, std::enable_if_t<!std::is_reference_v<U>, int> = 0>
  std::suspend_always yield_value(Pair& p) {
    text += "&";
    return text += p.second, std::suspend_always{};
  }
  std::suspend_always yield_value(Pair&& p) {
    text += "&&";
    return text += p.second, std::suspend_always{};
  }
};
struct Anything {
  std::string text;
  template <class U = Pair>
  std::suspend_always yield_value(U&& p) {
    return text += p.second, std::suspend_always{};
  }
};
struct Point {
  int x, y;
};
// The header has no hint for these types. The awaiter requires the promise's own handle.
struct ByValue {
  std::string text;
  struct Typed {
    bool await_ready() { return false; }
    void await_suspend(std::coroutine_handle<Yielder<void, ByValue>::promise_type> h);
    void await_resume() {}
  };
  Typed yield_value(Pair p) { return text += p.second, Typed{}; }
  Typed yield_value(Point p) { return text += std::to_string(p.x), Typed{}; }
  Typed yield_value(std::string) = delete;
};
void ByValue::Typed::await_suspend(std::coroutine_handle<Yielder<void, ByValue>::promise_type> h) {
  h.promise().text += "!";
}
// The converted argument lives until the coroutine resumes.
struct Kept {
  const std::string* kept = nullptr;
  std::string text;
  struct Late {
    Kept* self;
    bool await_ready() { return false; }
    void await_suspend(std::coroutine_handle<>) { self->text += *self->kept; }
    void await_resume() { self->text += *self->kept; }
  };
  Late yield_value(const std::string& s) noexcept {
    kept = &s;
    return {this};
  }
};

template <class Yields>
Yielder<Pair, Yields> braced() {
  co_yield {1, "a"};
  Pair b{2, "b"};
  co_yield b;
  co_yield Pair{3, "c"};
}
Yielder<void, ByReference> unhinted() {
  co_yield {1, "a"};
  const Pair b{2, "b"};
  co_yield b;
}
Yielder<Pair, Anything> anything() {
  co_yield {1, "a"};
  const Pair b{2, "b"};
  co_yield b;
}
Yielder<void, ByValue> by_value() {
  co_yield {1, "a"};
  co_yield Point{2, 3};
  co_yield Point{4, 5};
}
// A promise that is final and overloaded.
struct Final {
  struct promise_type final : ByReference {
    using value_type = Pair;
    Final get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { throw; }
  };
  std::coroutine_handle<promise_type> handle;
};
Final in_final() {
  co_yield {1, "a"};
  Pair b{2, "b"};
  co_yield b;
}
Yielder<int, Kept> kept() { co_yield "a text that is too long to lie in the string itself"; }

template <class G>
std::string run_yielder(G make()) {
  fake::reset();
  std::string text;
  {
    auto own = make();
    text = own.all();
  }
  return text;
}
std::vector<unsigned> yield_lines() {
  std::vector<unsigned> lines;
  for (const fake::Call& c : fake::calls())
    if (c.what.rfind("suspend", 0) == 0) lines.push_back(c.line);
  return lines;
}
}  // namespace

TEST_CASE("overloaded yield_values: the same overload as without skein, and recorded") {
  // Three yields: lines from `first` on.
  const auto three = [](unsigned first) {
    return std::vector<unsigned>{first, first + 2, first + 3};
  };
  const unsigned braced_line = __LINE__ - 62;
  CHECK(run_yielder(braced<ByReference>) == "&&a b &&c ");
  CHECK(yield_lines() == three(braced_line));
  CHECK(run_yielder(unhinted) == "&&a b ");
  CHECK(std::ranges::count(yield_lines(), 0u) == 0);
  CHECK(fake::words() == Words{"create 1 under 0 kind 2", "resume 1", "suspend 1 on 0 previous 0",
                               "resume 1", "suspend 1 on 0 previous 0", "resume 1",
                               "resolve 1 previous 0"});
}

TEST_CASE("yield_value is a template or has an unknown overload: recorded without a location") {
  CHECK(run_yielder(braced<Half>) == "&&a &b &&c ");
  CHECK(yield_lines() == std::vector<unsigned>{0});
  CHECK(run_yielder(anything) == "a b ");
  CHECK(yield_lines() == std::vector<unsigned>{0});
  CHECK(run_yielder(by_value) == "a! 2! 4! ");
  CHECK(yield_lines() == std::vector<unsigned>{0});
  CHECK(fake::words() == Words{"create 1 under 0", "resume 1", "suspend 1 on 0 previous 0",
                               "resume 1", "resolve 1 previous 0"});
}

TEST_CASE("overloaded yield_values of a final promise") {
  fake::reset();
  auto g = in_final();
  while (!g.handle.done()) g.handle.resume();
  CHECK(g.handle.promise().text == "&&ab");
  g.handle.destroy();
  CHECK(fake::words() == Words{"create 1 under 0 kind 2", "resume 1", "suspend 1 on 0 previous 0",
                               "resume 1", "suspend 1 on 0 previous 0", "resume 1",
                               "resolve 1 previous 0"});
}

TEST_CASE("the converted argument of a yield lives until the coroutine resumes") {
  const std::string text = "a text that is too long to lie in the string itself";
  CHECK(run_yielder(kept) == text + " " + text);
  CHECK(yield_lines().size() == 1);
}

namespace {
struct Arena {
  alignas(16) char bytes[4096];
  size_t used = 0;
  int frees = 0;
};
// An allocator as first parameter, a constructor from the parameters, await_transform overloads,
// no default constructor.
struct FromArena {
  struct promise_type {
    Arena& arena;
    int doubled;
    promise_type(Arena& a, int& x) : arena(a), doubled(2 * x) {}
    static void* operator new(size_t size, Arena& a, int&) {
      void* p = a.bytes + a.used;
      a.used += (size + 31) / 16 * 16;
      *static_cast<Arena**>(static_cast<void*>(a.bytes + a.used - 16)) = &a;
      return p;
    }
    static void operator delete(void* p, size_t size) {
      ++(*static_cast<Arena**>(
             static_cast<void*>(static_cast<char*>(p) + (size + 31) / 16 * 16 - 16)))
            ->frees;
    }
    FromArena get_return_object() {
      return {std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_never initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    struct Number {
      int n;
      bool await_ready() { return true; }
      void await_suspend(std::coroutine_handle<promise_type>) {}
      int await_resume() { return n; }
    };
    Number await_transform(const char*) { return {doubled}; }
    Number await_transform(int n) { return {n}; }
    template <class T>
    void return_value(T v) {
      doubled += static_cast<int>(v);
    }
    void unhandled_exception() { std::terminate(); }
  };
  std::coroutine_handle<promise_type> handle;
};
FromArena in_arena(Arena&, int) { co_return co_await "doubled" + co_await 1; }
}  // namespace

TEST_CASE("allocators, constructors with parameters, await_transform, return_value templates") {
  fake::reset();
  Arena arena;
  FromArena c = in_arena(arena, 20);
  CHECK(arena.used > 0);
  CHECK(c.handle.promise().doubled == 81);
  c.handle.destroy();
  CHECK(arena.frees == 1);
  CHECK(fake::words() ==
        Words{"run 1 under 0", "ready 1 on 0", "ready 1 on 0", "resolve 1 previous 0"});
}

namespace {
bool allocation_fails;
template <bool Final>
struct MayFailBase {
  static void* operator new(size_t size, const std::nothrow_t&) noexcept {
    return allocation_fails ? nullptr : std::malloc(size);
  }
  static void* operator new(size_t size) noexcept {
    return allocation_fails ? nullptr : std::malloc(size);
  }
  static void operator delete(void* p) { std::free(p); }
  std::suspend_always initial_suspend() { return {}; }
  std::suspend_always final_suspend() noexcept { return {}; }
  void return_void() {}
  void unhandled_exception() {}
};
struct MayFail {
  struct promise_type : MayFailBase<false> {
    MayFail get_return_object() { return {true}; }
    static MayFail get_return_object_on_allocation_failure() { return {false}; }
  };
  bool made;
};
struct MayFailFinal {
  struct promise_type final : MayFailBase<true> {
    MayFailFinal get_return_object() { return {true}; }
    static MayFailFinal get_return_object_on_allocation_failure() { return {false}; }
  };
  bool made;
};
MayFail may_fail() { co_return; }
MayFailFinal may_fail_final() { co_return; }
}  // namespace

TEST_CASE("get_return_object_on_allocation_failure, also of a final promise") {
  fake::reset();
  allocation_fails = true;
  CHECK(!may_fail().made);
  CHECK(!may_fail_final().made);
  CHECK(fake::words().empty());
}

namespace {
// QCoro's promises are final.
struct Sealed {
  struct promise_type final {
    int result = 0;
    int* counter;
    explicit promise_type(int* c) : counter(c) { ++*counter; }
    Sealed get_return_object() {
      return {std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_value(int v) { result = v; }
    void unhandled_exception() { result = -1; }
    auto await_transform(int x) {
      struct A {
        int n;
        bool await_ready() { return false; }
        bool await_suspend(std::coroutine_handle<promise_type> h) {
          return h.promise().result != 0;
        }
        int await_resume() { return n; }
      };
      return A{x};
    }
  };
  std::coroutine_handle<promise_type> handle;
};
Sealed sealed(int*) { co_return co_await 3 + 1; }
}  // namespace

TEST_CASE("final promises are traced too") {
  fake::reset();
  int count = 0;
  Sealed s = sealed(&count);
  s.handle.resume();
  CHECK(count == 1);
  CHECK(s.handle.done());
  CHECK(s.handle.promise().result == 4);
  s.handle.destroy();
  CHECK(fake::words() == Words{"create 1 under 0", "resume 1", "suspend 1 on 0 previous 0",
                               "resume 1", "resolve 1 previous 0"});
}

namespace {
struct alignas(64) Wide {
  double d[8] = {};
};
struct OverAligned {
  struct promise_type {
    Wide wide;
    OverAligned get_return_object() {
      return {std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() { wide.d[0] = 1; }
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> handle;
};
OverAligned over_aligned() { co_return; }
}  // namespace

TEST_CASE("over-aligned promises are unchanged and untraced") {
  fake::reset();
  OverAligned c = over_aligned();
  c.handle.resume();
  CHECK(c.handle.promise().wide.d[0] == 1);
  c.handle.destroy();
  CHECK(fake::words().empty());
}

// A library that specialises std::coroutine_traits for its type, and whose namespace has functions
// with the same names as the header's helpers.
namespace elsewhere {
struct Future {
  std::shared_ptr<int> state;
};
struct Promise : std::suspend_never {
  std::shared_ptr<int> state = std::make_shared<int>(0);
  Future get_return_object() { return {state}; }
  std::suspend_never initial_suspend() { return {}; }
  std::suspend_never final_suspend() noexcept { return {}; }
  void return_value(int x) { *state = x; }
  void unhandled_exception() {}
};
template <class... A>
void awaitable_of(A&&...) = delete;
template <class... A>
void awaiter_of(A&&...) = delete;
template <class... A>
void created(A&&...) = delete;
template <class... A>
void ended(A&&...) = delete;
template <class... A>
void some(A&&...) = delete;
struct Thing {
  int n;
};
struct ThingAwaiter {
  int n;
  bool await_ready() { return true; }
  void await_suspend(std::coroutine_handle<>) {}
  int await_resume() { return n; }
};
ThingAwaiter operator co_await(Thing t) { return {t.n}; }  // found by argument-dependent lookup
}  // namespace elsewhere
template <class... A>
struct std::coroutine_traits<elsewhere::Future, A...> {
  using promise_type = elsewhere::Promise;
};
static elsewhere::Future f_elsewhere() { co_return co_await elsewhere::Thing{4}; }

TEST_CASE("specialised coroutine_traits; helpers are not looked up in the promise's namespace") {
  fake::reset();
  CHECK(*f_elsewhere().state == 4);
  CHECK(fake::words() == Words{"run 1 under 0", "ready 1 on 0", "resolve 1 previous 0"});
}

// An operator co_await that only a lookup in the coroutine itself finds.
namespace chrono_like {
struct Duration {
  int n;
};
}  // namespace chrono_like
static elsewhere::ThingAwaiter operator co_await(chrono_like::Duration d) { return {d.n}; }
static elsewhere::Future f_duration() { co_return co_await chrono_like::Duration{9}; }

TEST_CASE("an operator co_await that is not visible in the header works") {
  fake::reset();
  CHECK(*f_duration().state == 9);
  CHECK(fake::words() == Words{"run 1 under 0", "resolve 1 previous 0"});
}

TEST_CASE("the promise is at the address that the library expects") {
  auto f = []() -> Task<int> { co_return 1; };
  fake::reset();
  Task<int> task = f();
  Task<int>::promise_type& promise = task.handle.promise();
  CHECK(Task<int>::Handle::from_promise(promise).address() == task.handle.address());
  CHECK(static_cast<void*>(&promise) ==
        static_cast<void*>(static_cast<char*>(task.handle.address()) + 2 * sizeof(void*)));
}
