// The events of a coroutine and its waits, as skein/coroutine.h records them. Compiled with
// -include skein/coroutine.h.
#include <cxxabi.h>  // redeclares what the header declares itself
#include <doctest/doctest.h>
#include <skein/task.h>

#include <algorithm>
#include <atomic>
#include <coroutine>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/adapters/coroutine_types.h"
#include "tests/adapters/fake_recorder.h"

using namespace library;

TEST_CASE("a chain of tasks: parents, targets and locations of waits, resumes") {
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
                               "suspend 1 on 2 previous 0", "resume 2", "create 3 under 2",
                               "suspend 2 on 3 previous 0", "resume 3", "resolve 3 previous 0",
                               "resume 2", "resolve 2 previous 0", "resume 1",
                               "resolve 1 previous 0"});
  const fake::Call await = fake::call("suspend 2 on 3 previous 0");
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

TEST_CASE("an exception fails each task it passes, with its text as the reason") {
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
                               "suspend 1 on 2 previous 0", "resume 2", "fail 2 boom previous 0",
                               "resume 1", "fail 1 boom previous 0"});
  fake::reset();
  CHECK_THROWS_AS(Here::thrower(1).run(), const char*);
  const std::string pointer = "fail 1 an exception of type PKc previous 0";  // it may have no end
  CHECK(fake::call(pointer).line == 0);
  CHECK(fake::words().back() == pointer);
  fake::reset();
  CHECK_THROWS_AS(Here::thrower(2).run(), int);
  CHECK(fake::words().back() == "fail 1 an exception of type i previous 0");
  fake::reset();
  CHECK_THROWS_AS(Here::thrower(3).run(), Thrown::Local<int>);
  CHECK(fake::words().back() ==
        "fail 1 an exception of type N12_GLOBAL__N_16Thrown5LocalIiEE previous 0");
}

TEST_CASE("destroyed before its end: cancelled; destroyed after its end: no event") {
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
        Words{"create 1 under 0", "resume 1", "suspend 1 on 0 previous 0", "cancel 1"});
}

TEST_CASE("detached: runs immediately; its end restores the current task") {
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
  CHECK(fake::words() == Words{"run 1 under 0", "run 2 under 1", "suspend 2 on 0 previous 1",
                               "resolve 1 previous 0", "resume 2", "resolve 2 previous 0"});
}

TEST_CASE("await_suspend returns false or throws: the task continues") {
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
  CHECK(fake::words() == Words{"create 1 under 0", "resume 1", "suspend 1 on 0 previous 0",
                               "resume 1", "suspend 1 on 0 previous 0", "resume 1",
                               "resolve 1 previous 0"});
}

TEST_CASE("an available result is read without suspending") {
  auto f = []() -> Task<int> {
    co_await std::suspend_never{};
    co_return 1;
  };
  fake::reset();
  CHECK(f().run() == 1);
  CHECK(fake::words() ==
        Words{"create 1 under 0", "resume 1", "ready 1 on 0", "resolve 1 previous 0"});
}

namespace {
// Resumes the awaiting coroutine on another thread during await_suspend and lets it end there. The
// first thread must not access the frame afterwards.
struct OnAnotherThread {
  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<> h) {
    std::thread([h] { h.resume(); }).join();
  }
  void await_resume() {}
};
}  // namespace

TEST_CASE("a frame destroyed during await_suspend is not accessed") {
  fake::reset();
  auto f = []() -> Detached { co_await OnAnotherThread{}; };
  f();  // the address sanitizer reports an access
  CHECK(skein_current() == 0);
  CHECK(fake::words() ==
        Words{"run 1 under 0", "suspend 1 on 0 previous 0", "resume 1", "resolve 1 previous 0"});
}

TEST_CASE("the thread is looked up again after each co_await") {
  fake::reset();
  auto child = []() -> Task<int> { co_return 1; };
  auto f = [&](std::atomic<bool>& done) -> Detached {
    co_await OnAnotherThread{};
    // The child is created on this thread, and found there as the target.
    CHECK(co_await child() == 1);
    done = true;
  };
  std::atomic<bool> done = false;
  f(done);
  CHECK(done);
  CHECK(fake::call("suspend 1 on 2 previous 0").line != 0);
}

TEST_CASE("targets: lvalue tasks, several at once; unknown targets are not recorded") {
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
    const int first = co_await std::move(a);  // not the most recently created one
    const int second = co_await ByReference{b};
    co_return first + second;
  };
  fake::reset();
  CHECK(f().run() == 3);
  const Words words = fake::words();
  CHECK(std::count(words.begin(), words.end(), "suspend 1 on 2 previous 0") == 1);
  CHECK(std::count(words.begin(), words.end(), "suspend 1 on 0 previous 0") == 1);
}

namespace {
// Awaits the tasks last to first. They have the ids 2, 3 and so on; all must be found as targets.
Task<int> sum_of(std::vector<Task<int>>& tasks) {
  int sum = 0;
  for (auto task = tasks.rbegin(); task != tasks.rend(); ++task) sum += co_await std::move(*task);
  co_return sum;
}
unsigned known_edges(size_t tasks) {
  const Words words = fake::words();
  unsigned known = 0;
  for (size_t i = 0; i < tasks; ++i)
    known += static_cast<unsigned>(std::count(
        words.begin(), words.end(), "suspend 1 on " + std::to_string(i + 2) + " previous 0"));
  return known;
}
}  // namespace

TEST_CASE("each of many adjacent frames is found when it is awaited") {
  constexpr size_t kTasks = 3'000;  // 300 kB of adjacent frames
  std::vector<Task<int>> tasks;
  fake::reset();
  Task<int> sum = sum_of(tasks);
  for (size_t i = 0; i < kTasks; ++i) tasks.push_back(value(1));
  CHECK(sum.run() == kTasks);
  CHECK(known_edges(kTasks) == kTasks);
}

TEST_CASE("tasks that another thread created are found as targets") {
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
// Runs immediately. Holds the address of its frame or, as in Asio, of its promise.
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

  long number = 0;  // a word that is not an address
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
  CHECK(fake::words() == Words{"run 1 under 0", "run 2 under 1", "resolve 2 previous 1",
                               "ready 1 on 2", "resolve 1 previous 0"});
  fake::reset();
  Eager outer = f(&event);
  event.waiter.resume();
  CHECK(fake::words() == Words{"run 1 under 0", "run 2 under 1", "suspend 2 on 0 previous 1",
                               "suspend 1 on 2 previous 0", "resume 2", "resolve 2 previous 0",
                               "resume 1", "resolve 1 previous 0"});
}
}  // namespace

TEST_CASE("an eager task is found while it runs and after its end, by frame or promise") {
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
  CHECK(fake::call("suspend 104 on 105 previous 0").function.find("recurse") != std::string::npos);
}

TEST_CASE("recording starts and stops while coroutines exist") {
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
    CHECK(fake::words() == Words{"join 1", "resume 1", "suspend 1 on 0 previous 0"});
    fake::switch_on(false);
    event.waiter.resume();
  }
  CHECK(fake::words().size() == 3);
}

TEST_CASE("recording starts while a coroutine runs: no previous task") {
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
    CHECK(fake::words() == Words{"join 1", "suspend 1 on 0 previous 0"});
  }
  fake::reset();
  Task<int> task = f();
  fake::switch_on(false);
  task.handle.resume();  // not recorded
  fake::switch_on(false);
  event.waiter.resume();  // not recorded, to the end
  CHECK(fake::words() ==
        Words{"create 1 under 0", "suspend 1 on 0 previous 0", "resolve 1 previous 0"});
}

TEST_CASE("recording starts after a resume: an available result is no second resume") {
  Event event;
  auto f = [&]() -> Task<int> {
    co_await event;
    fake::switch_on(true);
    co_await std::suspend_never{};
    co_return 1;
  };
  fake::reset(false);
  Task<int> task = f();
  task.handle.resume();
  event.waiter.resume();
  CHECK(fake::words() == Words{"join 1", "ready 1 on 0", "resolve 1 previous 0"});
}

namespace {
// Whether it is suspended initially is known only when it is created.
struct Decided {
  struct promise_type {
    bool starts;
    explicit promise_type(bool b) : starts(b) {}
    Decided get_return_object() { return {Handle::from_promise(*this)}; }
    struct Initial {
      bool starts;
      bool await_ready() const { return starts; }
      void await_suspend(std::coroutine_handle<>) {}
      void await_resume() {}
    };
    Initial initial_suspend() { return {starts}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
  using Handle = std::coroutine_handle<promise_type>;
  Handle handle;
};
Decided decided(bool) { co_return; }
}  // namespace

TEST_CASE("an initial suspension that is decided at run time") {
  for (const bool recorded : {true, false}) {
    for (const bool starts : {true, false}) {
      fake::reset(recorded);
      const Decided task = decided(starts);
      const Words created{"create 1 under 0"};
      const Words ended{"create 1 under 0", "resume 1", "resolve 1 previous 0"};
      CHECK(task.handle.done() == starts);
      CHECK(fake::words() == (!recorded ? Words{} : starts ? ended : created));
      if (!starts) task.handle.resume();
      CHECK(fake::words() == (recorded ? ended : Words{}));
      task.handle.destroy();
    }
  }
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

TEST_CASE("resolve_and_resume: one time stamp if the waiter is traced and suspended") {
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
                               "suspend 2 on 0 previous 0", "resolve 1 previous 0", "resume 2 by 1",
                               "suspend 2 on 0 previous 0"});
  future.waiter.resume();
  CHECK(fake::words().size() == 9);
  CHECK(fake::words()[7] == "resume 2");
  CHECK(fake::words()[8] == "resolve 2 previous 0");
  fake::reset();
  skein_create(&future.task, SKEIN_KIND_promise, nullptr, nullptr);
  auto unseen = [&]() -> Detached { co_await future; };
  fake::switch_on(false);
  unseen();
  fake::switch_on(true);
  skein::resolve_and_resume(future.task, future.waiter);
  CHECK(fake::words() == Words{"create 1 under 0 kind 3", "resolve 1 previous 0", "join 2",
                               "resume 2", "resolve 2 previous 0"});
  fake::reset();
  Task<int> unstarted = value(1);
  skein::resolve_and_resume(future.task, std::coroutine_handle<>(unstarted.handle));
  CHECK(fake::words() ==
        Words{"create 1 under 0", "resolve 1 previous 0", "resume 1", "resolve 1 previous 0"});
}
