// What skein/coroutine.h tells the recorder, lesson by lesson. The coroutine types here are as
// libraries write them; none knows of skein. Compiled with -include skein/coroutine.h.
#include <cxxabi.h>  // declares again what the header declares for itself
#include <doctest/doctest.h>
#include <skein/task.h>

#include <algorithm>
#include <atomic>
#include <coroutine>
#include <cstdlib>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "tests/adapters/fake_recorder.h"

using Words = std::vector<std::string>;

namespace doctest {
template <>
struct StringMaker<Words> {
  static String convert(const Words& words) {
    std::string text;
    for (const std::string& w : words) text += "\n  " + w;
    return text.c_str();
  }
};
}  // namespace doctest

namespace {

// A lazy task with symmetric transfer, as in libcoro or cppcoro.
template <class T>
struct Task {
  struct promise_type {
    T value{};
    std::exception_ptr error;
    std::coroutine_handle<> continuation;
    Task get_return_object() { return Task{Handle::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    struct Final {
      bool await_ready() noexcept { return false; }
      std::coroutine_handle<> await_suspend(
          std::coroutine_handle<promise_type> h) noexcept {  // typed: it must get its own promise
        auto next = h.promise().continuation;
        return next ? next : std::noop_coroutine();
      }
      void await_resume() noexcept {}
    };
    Final final_suspend() noexcept { return {}; }
    void return_value(T v) { value = std::move(v); }
    void unhandled_exception() { error = std::current_exception(); }
  };
  using Handle = std::coroutine_handle<promise_type>;
  explicit Task(Handle h) : handle(h) {}
  Task(Task&& other) noexcept : handle(std::exchange(other.handle, nullptr)) {}
  ~Task() {
    if (handle) handle.destroy();
  }
  struct Awaiter {
    Handle handle;
    bool await_ready() { return handle.done(); }
    std::coroutine_handle<> await_suspend(std::coroutine_handle<> h) {
      handle.promise().continuation = h;
      return handle;
    }
    T await_resume() {
      if (handle.promise().error) std::rethrow_exception(handle.promise().error);
      return std::move(handle.promise().value);
    }
  };
  Awaiter operator co_await() && { return {handle}; }
  T run() {
    handle.resume();
    return Awaiter{handle}.await_resume();
  }
  Handle handle;
};

// Eager and detached: final_suspend does not suspend, the frame destroys itself.
struct Detached {
  struct promise_type {
    Detached get_return_object() { return {}; }
    std::suspend_never initial_suspend() { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
};

struct Event {
  std::coroutine_handle<> waiter;
  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<> h) { waiter = h; }
  void await_resume() {}
};

Task<int> value(int x) { co_return x; }

}  // namespace

TEST_CASE("a chain of tasks: parents, what each waits for, where, who goes on") {
  struct Here {
    static Task<int> middle() {
      const int x = co_await value(1);  // the marked line
      co_return x + 1;
    }
    static Task<int> root() { co_return co_await middle() + 1; }
  };
  const unsigned marked = __LINE__ - 5;
  fake::reset();
  CHECK(Here::root().run() == 3);
  CHECK(fake::words() == Words{"create 1 under 0", "resume 1", "create 2 under 1",
                               "suspend 1 on 2 back 0", "resume 2", "create 3 under 2",
                               "suspend 2 on 3 back 0", "resume 3", "resolve 3 back 0", "resume 2",
                               "resolve 2 back 0", "resume 1", "resolve 1 back 0"});
  const fake::Call await = fake::call("suspend 2 on 3 back 0");
  CHECK(await.line == marked);
  CHECK(await.file == __FILE__);
  CHECK(await.function.find("middle") != std::string::npos);
  const fake::Call create = fake::call("create 2 under 1");
  CHECK(create.function.find("middle") != std::string::npos);
  CHECK(create.line >= marked - 1);  // g++: the line of the closing brace
  CHECK(create.line <= marked + 2);
}

namespace {
struct Thrown {
  template <class T>
  struct Local {};
};
}  // namespace

TEST_CASE("an exception fails each task on its way, with its text") {
  struct Here {
    static Task<int> thrower(int what) {
      if (what == 0) throw std::runtime_error("boom");
      if (what == 1) throw "a text";
      if (what == 3) throw Thrown::Local<int>{};
      throw 7;
      co_return 0;
    }
    static Task<int> passes_on(int what) { co_return co_await thrower(what); }
  };
  fake::reset();
  CHECK_THROWS_WITH_AS(Here::passes_on(0).run(), "boom", std::runtime_error);
  CHECK(fake::words() == Words{"create 1 under 0", "resume 1", "create 2 under 1",
                               "suspend 1 on 2 back 0", "resume 2", "fail 2 boom back 0",
                               "resume 1", "fail 1 boom back 0"});
  fake::reset();
  CHECK_THROWS_AS(Here::thrower(1).run(), const char*);
  CHECK(fake::call("fail 1 a text back 0").line == 0);
  CHECK(fake::words().back() == "fail 1 a text back 0");
  fake::reset();
  CHECK_THROWS_AS(Here::thrower(2).run(), int);
  CHECK(fake::words().back() == "fail 1 an exception of type int back 0");
  fake::reset();
  CHECK_THROWS_AS(Here::thrower(3).run(), Thrown::Local<int>);
  CHECK(fake::words().back() ==
        "fail 1 an exception of type (anonymous namespace)::Thrown::Local<int> back 0");
}

TEST_CASE("destroyed before its end: cancelled; after its end: nothing more") {
  fake::reset();
  { Task<int> never_started = value(1); }
  CHECK(fake::words() == Words{"create 1 under 0", "cancel 1"});
  fake::reset();
  {
    Event event;
    auto waits = [&]() -> Task<int> {
      co_await event;
      co_return 0;
    };
    Task<int> task = waits();
    task.handle.resume();
  }
  CHECK(fake::words() ==
        Words{"create 1 under 0", "resume 1", "suspend 1 on 0 back 0", "cancel 1"});
}

TEST_CASE("detached: runs at once, and its end pops the current task") {
  fake::reset();
  Event event;
  auto inner = [&]() -> Detached { co_await event; };
  auto outer = [&]() -> Detached {
    inner();
    co_return;
  };
  outer();
  CHECK(skein_current() == 0);
  event.waiter.resume();
  CHECK(skein_current() == 0);
  CHECK(fake::words() == Words{"run 1 under 0", "run 2 under 1", "suspend 2 on 0 back 1",
                               "resolve 1 back 0", "resume 2", "resolve 2 back 0"});
}

TEST_CASE("await_suspend that says false, and one that throws: the task goes on") {
  struct GoesOn {
    bool await_ready() { return false; }
    bool await_suspend(std::coroutine_handle<>) { return false; }
    int await_resume() { return 5; }
  };
  struct Throws {
    bool await_ready() { return false; }
    void await_suspend(std::coroutine_handle<>) { throw std::runtime_error("no"); }
    void await_resume() {}
  };
  auto f = []() -> Task<int> {
    int x = co_await GoesOn{};
    try {
      co_await Throws{};
    } catch (std::runtime_error&) {
      ++x;
    }
    co_return x;
  };
  fake::reset();
  CHECK(f().run() == 6);
  CHECK(fake::words() == Words{"create 1 under 0", "resume 1", "suspend 1 on 0 back 0", "resume 1",
                               "suspend 1 on 0 back 0", "resume 1", "resolve 1 back 0"});
}

TEST_CASE("a result that is there already is read without suspending") {
  auto f = []() -> Task<int> {
    co_await std::suspend_never{};
    co_return 1;
  };
  fake::reset();
  CHECK(f().run() == 1);
  CHECK(fake::words() == Words{"create 1 under 0", "resume 1", "ready 1 on 0", "resolve 1 back 0"});
}

namespace {
// Resumes the awaiting coroutine on another thread while await_suspend is still under way, and has
// it finish there; then looks whether anything of ours is touched by the first thread.
struct OnAnotherThread {
  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<> h) {
    std::thread([h] { h.resume(); }).join();
  }
  void await_resume() {}
};
}  // namespace

TEST_CASE("the frame is gone when await_suspend returns: nothing of it is touched") {
  fake::reset();
  auto f = []() -> Detached { co_await OnAnotherThread{}; };
  f();  // under the address sanitizer a touch is an error
  CHECK(skein_current() == 0);
  CHECK(fake::words() ==
        Words{"run 1 under 0", "suspend 1 on 0 back 0", "resume 1", "resolve 1 back 0"});
}

TEST_CASE("which thread a coroutine goes on is asked anew after each co_await") {
  fake::reset();
  auto child = []() -> Task<int> { co_return 1; };
  auto f = [&](std::atomic<bool>& done) -> Detached {
    co_await OnAnotherThread{};
    // The child's create is remembered by this thread, and looked up on this thread.
    CHECK(co_await child() == 1);
    done = true;
  };
  std::atomic<bool> done = false;
  f(done);
  CHECK(done);
  CHECK(fake::call("suspend 1 on 2 back 0").line != 0);
}

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
    void await_transform() = delete;  // a generator awaits nothing
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

TEST_CASE("generators: co_yield suspends, whoever asks resumes; rethrown exceptions") {
  fake::reset();
  {
    auto g = pairs();
    CHECK(g.next()->second == 2);
    CHECK(g.next()->first == 3);
    CHECK(g.next() == nullptr);
  }
  CHECK(fake::words() == Words{"create 1 under 0 kind 2", "resume 1", "suspend 1 on 0 back 0",
                               "resume 1", "suspend 1 on 0 back 0", "resume 1",
                               "resolve 1 back 0"});
  fake::reset();
  {
    auto fails = []() -> Generator<int> {
      co_yield 1;
      throw std::runtime_error("end");
    }();
    fails.next();
    CHECK_THROWS_AS(fails.next(), std::runtime_error);
  }
  CHECK(fake::words().back() == "fail 1 end back 0");
}

namespace {
// Promises whose yield_value is overloaded, or takes what only its own parameter can be made from.
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
// As in cppcoro: one of the two is a template.
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
// No hint tells of these types. The awaiter wants the promise's own handle.
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
// What an argument is converted to lives until the coroutine goes on.
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

TEST_CASE("overloaded yield_values: what is found without skein is found, and recorded") {
  // Three yields: lines from `first` on.
  const auto three = [](unsigned first) {
    return std::vector<unsigned>{first, first + 2, first + 3};
  };
  const unsigned braced_line = __LINE__ - 62;
  CHECK(run_yielder(braced<ByReference>) == "&&a b &&c ");
  CHECK(yield_lines() == three(braced_line));
  CHECK(run_yielder(braced<Half>) == "&&a &b &&c ");
  CHECK(yield_lines() == three(braced_line));
  CHECK(run_yielder(unhinted) == "&&a b ");
  CHECK(std::ranges::count(yield_lines(), 0u) == 0);
  CHECK(run_yielder(anything) == "a b ");
  CHECK(std::ranges::count(yield_lines(), 0u) == 0);
  CHECK(fake::words() == Words{"create 1 under 0 kind 2", "resume 1", "suspend 1 on 0 back 0",
                               "resume 1", "suspend 1 on 0 back 0", "resume 1",
                               "resolve 1 back 0"});
}

TEST_CASE("a yield_value that cannot be guessed: once, at no place, said late") {
  CHECK(run_yielder(by_value) == "a! 2! 4! ");
  CHECK(yield_lines() == std::vector<unsigned>{0});
  CHECK(fake::words() == Words{"create 1 under 0 kind 2", "resume 1", "suspend 1 on 0 back 0",
                               "resume 1", "resolve 1 back 0"});
}

TEST_CASE("overloaded yield_values of a final promise") {
  fake::reset();
  auto g = in_final();
  while (!g.handle.done()) g.handle.resume();
  CHECK(g.handle.promise().text == "&&ab");
  g.handle.destroy();
  CHECK(fake::words() == Words{"create 1 under 0", "resume 1", "suspend 1 on 0 back 0", "resume 1",
                               "suspend 1 on 0 back 0", "resume 1", "resolve 1 back 0"});
}

TEST_CASE("what a yielded argument was converted to lives until the coroutine goes on") {
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
// An allocator in front, constructor from the parameters, await_transform overloads, no default
// constructor.
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
        Words{"run 1 under 0", "ready 1 on 0", "ready 1 on 0", "resolve 1 back 0"});
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

TEST_CASE("get_return_object_on_allocation_failure, of a final promise too") {
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
  CHECK(fake::words() == Words{"create 1 under 0", "resume 1", "suspend 1 on 0 back 0", "resume 1",
                               "resolve 1 back 0"});
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

TEST_CASE("over-aligned promises stay as they are, untraced") {
  fake::reset();
  OverAligned c = over_aligned();
  c.handle.resume();
  CHECK(c.handle.promise().wide.d[0] == 1);
  c.handle.destroy();
  CHECK(fake::words().empty());
}

// A library that says of which promise its own type is, by specialising std::coroutine_traits; and
// whose namespace has functions of the names of our helpers.
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
ThingAwaiter operator co_await(Thing t) { return {t.n}; }  // found through its argument
}  // namespace elsewhere
template <class... A>
struct std::coroutine_traits<elsewhere::Future, A...> {
  using promise_type = elsewhere::Promise;
};
static elsewhere::Future f_elsewhere() { co_return co_await elsewhere::Thing{4}; }

TEST_CASE("specialised coroutine_traits; helpers are not looked up in the promise's namespace") {
  fake::reset();
  CHECK(*f_elsewhere().state == 4);
  CHECK(fake::words() == Words{"run 1 under 0", "ready 1 on 0", "resolve 1 back 0"});
}

// An operator co_await that only look-up from the coroutine itself finds.
namespace chrono_like {
struct Duration {
  int n;
};
}  // namespace chrono_like
static elsewhere::ThingAwaiter operator co_await(chrono_like::Duration d) { return {d.n}; }
static elsewhere::Future f_duration() { co_return co_await chrono_like::Duration{9}; }

TEST_CASE("an operator co_await that cannot be seen from the header still works") {
  fake::reset();
  CHECK(*f_duration().state == 9);
  CHECK(fake::words() == Words{"run 1 under 0", "resolve 1 back 0"});
}

TEST_CASE("awaiting: lvalue tasks, several at once, what cannot be known is not said") {
  struct ByReference {  // awaits a task it does not own
    Task<int>& task;
    bool await_ready() { return false; }
    auto await_suspend(std::coroutine_handle<> h) {
      return Task<int>::Awaiter{task.handle}.await_suspend(h);
    }
    int await_resume() { return Task<int>::Awaiter{task.handle}.await_resume(); }
  };
  auto f = []() -> Task<int> {
    Task<int> a = value(1);
    Task<int> b = value(2);
    const int first = co_await std::move(a);  // not the one created last
    const int second = co_await ByReference{b};
    co_return first + second;
  };
  fake::reset();
  CHECK(f().run() == 3);
  const Words words = fake::words();
  CHECK(std::count(words.begin(), words.end(), "suspend 1 on 2 back 0") == 1);
  CHECK(std::count(words.begin(), words.end(), "suspend 1 on 0 back 0") == 1);
}

namespace {
// Awaits them last to first; they were created as 2, 3 ... and must all be known.
Task<int> sum_of(std::vector<Task<int>>& tasks) {
  int sum = 0;
  for (auto task = tasks.rbegin(); task != tasks.rend(); ++task) sum += co_await std::move(*task);
  co_return sum;
}
unsigned known_edges(size_t tasks) {
  const Words words = fake::words();
  unsigned known = 0;
  for (size_t i = 0; i < tasks; ++i)
    known += static_cast<unsigned>(std::count(words.begin(), words.end(),
                                              "suspend 1 on " + std::to_string(i + 2) + " back 0"));
  return known;
}
}  // namespace

TEST_CASE("each of many neighbouring frames is known when it is awaited") {
  constexpr size_t kTasks = 3'000;  // 300 kB of frames, side by side
  std::vector<Task<int>> tasks;
  fake::reset();
  Task<int> sum = sum_of(tasks);
  for (size_t i = 0; i < kTasks; ++i) tasks.push_back(value(1));
  CHECK(sum.run() == kTasks);
  CHECK(known_edges(kTasks) == kTasks);
}

TEST_CASE("tasks that another thread created are known") {
  constexpr size_t kTasks = 100;
  std::vector<Task<int>> tasks;
  fake::reset();
  Task<int> sum = sum_of(tasks);
  std::thread([&] {
    for (size_t i = 0; i < kTasks; ++i) tasks.push_back(value(1));
  }).join();
  CHECK(sum.run() == kTasks);
  CHECK(known_edges(kTasks) == kTasks);
}

namespace {
// Runs at once, and is awaited by its frame's address or, as Asio's, by its promise's.
template <bool ByPromise>
struct Eager {
  struct promise_type {
    int value = 0;
    std::coroutine_handle<> waiter = std::noop_coroutine();
    Eager get_return_object() { return {7, *this}; }
    std::suspend_never initial_suspend() { return {}; }
    struct Final {
      promise_type& promise;
      bool await_ready() noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<>) noexcept {
        return promise.waiter;
      }
      void await_resume() noexcept {}
    };
    Final final_suspend() noexcept { return {*this}; }
    void return_value(int v) { value = v; }
    void unhandled_exception() { std::terminate(); }
  };
  using Handle = std::coroutine_handle<promise_type>;
  Eager(int n, promise_type& p) : number(n) {
    if constexpr (ByPromise)
      promise = &p;
    else
      handle = Handle::from_promise(p);
  }
  Eager(Eager&& other) noexcept
      : handle(std::exchange(other.handle, nullptr)),
        promise(std::exchange(other.promise, nullptr)) {}
  ~Eager() {
    if (Handle h = get()) h.destroy();
  }
  Handle get() const {
    if constexpr (ByPromise) return promise != nullptr ? Handle::from_promise(*promise) : nullptr;
    return handle;
  }
  bool await_ready() { return get().done(); }
  void await_suspend(std::coroutine_handle<> h) { get().promise().waiter = h; }
  int await_resume() { return get().promise().value; }

  long number = 0;  // a word that is no address
  Handle handle;
  promise_type* promise = nullptr;
};
template <class Eager>
Eager waits_for(Event* event) {
  if (event != nullptr) co_await *event;
  co_return 1;
}
template <class Eager>
void check_eager() {
  Event event;
  auto f = [&](Event* e) -> Eager { co_return co_await waits_for<Eager>(e); };
  fake::reset();
  CHECK(f(nullptr).get().promise().value == 1);
  CHECK(fake::words() == Words{"run 1 under 0", "run 2 under 1", "resolve 2 back 1", "ready 1 on 2",
                               "resolve 1 back 0"});
  fake::reset();
  Eager outer = f(&event);
  event.waiter.resume();
  CHECK(fake::words() == Words{"run 1 under 0", "run 2 under 1", "suspend 2 on 0 back 1",
                               "suspend 1 on 2 back 0", "resume 2", "resolve 2 back 0", "resume 1",
                               "resolve 1 back 0"});
}
}  // namespace

TEST_CASE("an eager task is known while it runs and when it has ended, by its frame or promise") {
  check_eager<Eager<false>>();
  check_eager<Eager<true>>();
}

TEST_CASE("function pointers, member functions, lambdas, templates, recursion") {
  struct Object {
    int n;
    Task<int> member(int x) const { co_return n + x; }
    virtual Task<int> virtual_member() { co_return n; }
    explicit Object(int x) : n(x) {}
    virtual ~Object() = default;
    static Task<int> recurse(int depth) {
      if (depth == 0) co_return 0;
      co_return 1 + co_await recurse(depth - 1);
    }
  };
  fake::reset();
  Object object{1};
  Task<int> (*pointer)(int) = &value;
  CHECK(pointer(3).run() == 3);
  CHECK(object.member(2).run() == 3);
  CHECK(object.virtual_member().run() == 1);
  auto generic = [](auto x) -> Task<int> { co_return static_cast<int>(x); };
  CHECK(generic(2.5).run() == 2);
  CHECK(Object::recurse(100).run() == 100);
  CHECK(fake::call("suspend 104 on 105 back 0").function.find("recurse") != std::string::npos);
}

TEST_CASE("switched on and off while coroutines live") {
  Event event;
  auto f = [&]() -> Task<int> {
    co_await event;
    co_await event;
    co_return 1;
  };
  fake::reset(false);
  {
    Task<int> task = f();
    task.handle.resume();
    CHECK(fake::words().empty());
    fake::switch_on(true);
    event.waiter.resume();
    CHECK(fake::words() == Words{"join 1", "resume 1", "suspend 1 on 0 back 0"});
    fake::switch_on(false);
    event.waiter.resume();
  }
  CHECK(fake::words().size() == 3);
}

TEST_CASE("switched on while a coroutine runs: nothing was current before it") {
  Event event;
  auto f = [&]() -> Task<int> {
    fake::switch_on(true);
    co_await event;
    fake::switch_on(true);
    co_return 1;
  };
  fake::reset(false);
  {
    Task<int> task = f();
    task.handle.resume();
    CHECK(fake::words() == Words{"join 1", "suspend 1 on 0 back 0"});
  }
  fake::reset();
  Task<int> task = f();
  fake::switch_on(false);
  task.handle.resume();  // unseen
  fake::switch_on(false);
  event.waiter.resume();  // unseen, up to the end
  CHECK(fake::words() == Words{"create 1 under 0", "suspend 1 on 0 back 0", "resolve 1 back 0"});
}

namespace {
struct Future {
  skein_task task = {};
  std::coroutine_handle<> waiter;
  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<> h) { waiter = h; }
  void await_resume() {}
};
}  // namespace

TEST_CASE("resolve_and_resume: both at once if the coroutine that waits is traced and waits") {
  Future future;
  auto f = [&]() -> Task<int> {
    co_await future;
    co_await future;
    co_return 1;
  };
  fake::reset();
  skein_create(&future.task, SKEIN_KIND_promise, nullptr, nullptr);
  Task<int> task = f();
  task.handle.resume();
  skein::resolve_and_resume(future.task, future.waiter);
  CHECK(fake::words() == Words{"create 1 under 0 kind 3", "create 2 under 0", "resume 2",
                               "suspend 2 on 0 back 0", "resolve 1 back 0", "resume 2 by 1",
                               "suspend 2 on 0 back 0"});
  future.waiter.resume();
  CHECK(fake::words().size() == 9);
  CHECK(fake::words()[7] == "resume 2");
  CHECK(fake::words()[8] == "resolve 2 back 0");
  fake::reset();
  skein_create(&future.task, SKEIN_KIND_promise, nullptr, nullptr);
  auto unseen = [&]() -> Detached { co_await future; };
  fake::switch_on(false);
  unseen();
  fake::switch_on(true);
  skein::resolve_and_resume(future.task, future.waiter);
  CHECK(fake::words() == Words{"create 1 under 0 kind 3", "resolve 1 back 0", "join 2", "resume 2",
                               "resolve 2 back 0"});
  fake::reset();
  Task<int> unstarted = value(1);
  skein::resolve_and_resume(future.task, std::coroutine_handle<>(unstarted.handle));
  CHECK(fake::words() ==
        Words{"create 1 under 0", "resolve 1 back 0", "resume 1", "resolve 1 back 0"});
}

TEST_CASE("the promise lies where the library expects it") {
  auto f = []() -> Task<int> { co_return 1; };
  fake::reset();
  Task<int> task = f();
  Task<int>::promise_type& promise = task.handle.promise();
  CHECK(Task<int>::Handle::from_promise(promise).address() == task.handle.address());
  CHECK(static_cast<void*>(&promise) ==
        static_cast<void*>(static_cast<char*>(task.handle.address()) + 2 * sizeof(void*)));
}
