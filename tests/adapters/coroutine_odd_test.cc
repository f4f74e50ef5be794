// Promises and awaiters that are unusual but valid: unions, polymorphic promises, virtual bases,
// overloads that differ by constraints, consteval functions, and awaiters of initial_suspend that
// only a friend can use. Each test did not compile,
// or had another result, when they were wrapped as others are. Compiled with -include
// skein/coroutine.h.
#include <doctest/doctest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <coroutine>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include "tests/adapters/coroutine_types.h"
#include "tests/adapters/fake_recorder.h"

namespace {

using library::Basics;
using library::Owner;

struct United {
  union promise_type {
    int value = 1;
    char bytes[8];
    United get_return_object() { return {Owner<promise_type>(*this)}; }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void unhandled_exception() { throw; }
    std::suspend_always await_transform(int by) {
      value += by;
      return {};
    }
    std::suspend_always yield_value(int v) {
      value = v;
      return {};
    }
    void return_value(int v) { value = v; }
  };
  Owner<promise_type> own;
};
United united() {
  co_await 2;
  co_yield 5;
  co_return 7;
}

struct Base {
  virtual ~Base() = default;
  virtual void run() = 0;
};
struct Virtual {
  struct promise_type : Base, Basics {
    int value = 0;
    Virtual get_return_object() { return {Owner<promise_type>(*this)}; }
    virtual std::suspend_always yield_value(int v) {
      value = v;
      return {};
    }
    virtual void return_value(int v) { value = v; }
    void run() override { std::coroutine_handle<promise_type>::from_promise(*this).resume(); }
  };
  Owner<promise_type> own;
};
Virtual polymorphic() {
  co_yield 3;
  co_return 4;
}

struct Named {
  int id;
  explicit Named(int i = 0) : id(i) {}
};
struct Diamond {
  struct promise_type : virtual Named, Basics {
    promise_type() = default;
    explicit promise_type(int i) : Named(i) {}
    Diamond get_return_object() { return {Owner<promise_type>(*this)}; }
    void return_void() {}
    void unhandled_exception() { throw; }
  };
  Owner<promise_type> own;
};
Diamond with_virtual_base(int) { co_await std::suspend_always(); }

struct Place {
  int line;
  static Place current(int l = __builtin_LINE()) { return {l}; }
};
struct Placed {  // not traced
  struct promise_type : Basics {
    int line;
    explicit promise_type(Place p = Place::current()) : line(p.line) {}
    Placed get_return_object() { return {Owner<promise_type>(*this)}; }
    void return_void() {}
    void unhandled_exception() { throw; }
  };
  Owner<promise_type> own;
};
constexpr int first_line = __LINE__ + 1;
Placed placed() { co_return; }

template <class T>
struct Overloaded {
  struct promise_type : Basics {
    std::string selected;
    Overloaded get_return_object() { return {Owner<promise_type>(*this)}; }
    std::suspend_always yield_value(const T&) { return is("const"); }
    std::suspend_always yield_value(T&&) requires(sizeof(T) > 1) { return is("temporary"); }
    std::suspend_always await_transform(int) { return is("int"); }
    std::suspend_always await_transform(double) requires(sizeof(T) > 1) { return is("double"); }
    void return_void() {}
    void unhandled_exception() { throw; }

   private:
    std::suspend_always is(const char* name) {
      selected = name;
      return {};
    }
  };
  Owner<promise_type> own;
};
Overloaded<std::string> overloaded() {
  std::string text;
  co_yield text;
  co_yield std::move(text);
  co_yield "text";
  co_await 1;
  co_await 1.5;
}

// The body of each function that requires a copy does not compile for a type without one.
template <class T>
concept Copied = std::is_copy_constructible_v<T>;
template <class T>
struct Unsatisfied {
  struct promise_type : Basics {
    int value = 0;
    Unsatisfied get_return_object() { return {Owner<promise_type>(*this)}; }
    std::suspend_always initial_suspend() { return {}; }
    auto initial_suspend() requires Copied<T> { return T(T::source()), std::suspend_always(); }
    std::suspend_always yield_value(T&& yielded) {
      value = *yielded;
      return {};
    }
    auto yield_value(const T& yielded) requires Copied<T> {
      return T(yielded), std::suspend_always();
    }
    std::suspend_always await_transform(T&& awaited) {
      value = *awaited + 100;
      return {};
    }
    auto await_transform(const T& awaited) requires Copied<T> {
      return T(awaited), std::suspend_always();
    }
    void return_void() {}
    void unhandled_exception() { throw; }
    auto unhandled_exception() requires Copied<T> { T::source(); }
  };
  Owner<promise_type> own;
};
Unsatisfied<std::unique_ptr<int>> unsatisfied() {
  co_yield std::make_unique<int>(1);
  co_await std::make_unique<int>(2);
}

// As std::generator. With clang its yields have no location.
template <class T>
struct Generated {
  struct promise_type : Basics {
    T* value = nullptr;
    Generated get_return_object() { return {Owner<promise_type>(*this)}; }
    std::suspend_always yield_value(T&& yielded) {
      value = &yielded;
      return {};
    }
    auto yield_value(const T& yielded) requires Copied<T> {
      struct Copy : std::suspend_always {
        T copy;
        promise_type* promise;
        void await_suspend(std::coroutine_handle<>) noexcept { promise->value = &copy; }
      };
      return Copy{{}, yielded, this};
    }
    template <class U>
    auto yield_value(std::vector<U>* yielded) {
      return yield_value(std::move(yielded->front()));
    }
    void return_void() {}
    void unhandled_exception() { throw; }
  };
  Owner<promise_type> own;
};
Generated<std::unique_ptr<int>> generated() {
  co_yield std::make_unique<int>(1);
  std::vector<std::unique_ptr<int>> more(1);
  more[0] = std::make_unique<int>(2);
  co_yield &more;
}
Generated<std::vector<std::unique_ptr<int>>> generated_vector() {
  co_yield std::vector<std::unique_ptr<int>>(3);
}
Generated<std::string> generated_text() {
  const std::string text = "text";
  co_yield text;
}

struct SetsErrno : std::exception {
  const char* what() const noexcept override {
    errno = EPERM;
    return "sets errno";
  }
};
struct ReadsErrno {
  struct promise_type : Basics {
    int error = 0;
    ReadsErrno get_return_object() { return {Owner<promise_type>(*this)}; }
    void return_void() {}
    void unhandled_exception() { error = errno; }
  };
  Owner<promise_type> own;
};
ReadsErrno fails() {
  errno = ENOENT;
  throw SetsErrno();
  co_return;
}

}  // namespace

TEST_CASE("a promise that is a union") {
  fake::reset();
  {
    auto coroutine = united();
    for (int value : {3, 5, 7}) CHECK(coroutine.own.next().value == value);
  }
  CHECK(fake::words().back() == "resolve 1 previous 0");
}

TEST_CASE("the type of a polymorphic promise stays the same") {
  fake::reset();
  {
    auto coroutine = polymorphic();
    Base& base = coroutine.own.handle.promise();
    CHECK(typeid(base) == typeid(Virtual::promise_type));
    for (int value : {3, 4}) {
      base.run();
      CHECK(coroutine.own.handle.promise().value == value);
    }
  }
  CHECK(fake::words().back() == "resolve 1 previous 0");
}

TEST_CASE("the promise constructs its virtual base") {
  fake::reset();
  {
    auto coroutine = with_virtual_base(7);
    CHECK(coroutine.own.handle.promise().id == 7);
    coroutine.own.next();
    coroutine.own.next();
  }
  CHECK(fake::words().back() == "resolve 1 previous 0");
}

TEST_CASE("a constructor with a defaulted location of the program's own type") {
  fake::reset();
  CHECK(placed().own.handle.promise().line == first_line);
  CHECK(fake::words().empty());
}

TEST_CASE("overloads that differ by a constraint") {
  fake::reset();
  {
    auto coroutine = overloaded();
    for (const char* selected : {"const", "temporary", "temporary", "int", "double"})
      CHECK(coroutine.own.next().selected == selected);
    coroutine.own.next();
  }
  CHECK(fake::words().back() == "resolve 1 previous 0");
}

TEST_CASE("overloads whose constraints are not satisfied are not compiled") {
  auto coroutine = unsatisfied();
  CHECK(coroutine.own.next().value == 1);
  CHECK(coroutine.own.next().value == 102);
  auto numbers = generated();
  CHECK(**numbers.own.next().value == 1);
  CHECK(**numbers.own.next().value == 2);
  CHECK(generated_vector().own.next().value->size() == 3);
  CHECK(*generated_text().own.next().value == "text");
}

TEST_CASE("what() of an exception does not change errno for the promise") {
  fake::reset();
  auto coroutine = fails();
  CHECK(coroutine.own.next().error == ENOENT);
  CHECK(fake::words().back() == "fail 1 sets errno previous 0");
}

namespace {

struct Constant {
  int value;
  constexpr bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<>) noexcept {}
  int await_resume() const noexcept { return value; }
};
struct Steps {  // these are not traced
  struct promise_type {
    Steps get_return_object() { return {Owner<promise_type>(*this)}; }
    consteval std::suspend_always initial_suspend() const { return {}; }
    static consteval std::suspend_always final_suspend() noexcept { return {}; }
    void unhandled_exception() { throw; }
    void return_void() {}
  };
  Owner<promise_type> own;
};
Steps steps() { co_await std::suspend_always{}; }

struct Immediate {
  struct promise_type : Basics {
    int result = 0;
    Immediate get_return_object() { return {Owner<promise_type>(*this)}; }
    consteval Constant await_transform(int v) const { return {v + 1}; }
    consteval std::suspend_always yield_value(int) { return {}; }
    void return_value(int v) { result = v; }
  };
  Owner<promise_type> own;
};
Immediate immediate() {
  co_yield 1;
  co_return co_await 2;
}

struct Ready {
  consteval bool await_ready() const { return false; }
  void await_suspend(std::coroutine_handle<>) {}
  int await_resume() { return 4; }
};
struct Resume {
  bool await_ready() const { return false; }
  void await_suspend(std::coroutine_handle<>) {}
  consteval int await_resume() const { return 5; }
};
struct Plain {
  struct promise_type : Basics {
    int result = 0;
    Plain get_return_object() { return {Owner<promise_type>(*this)}; }
    void return_value(int v) { result = v; }
  };
  Owner<promise_type> own;
};
Plain awaits_immediate() {
  const int ready = co_await Ready{};
  co_return ready * 10 + co_await Resume{};
}

}  // namespace

TEST_CASE("consteval functions of promises and awaiters") {
  fake::reset();
  {
    auto first = steps();
    first.own.next();
    first.own.next();
    CHECK(first.own.handle.done());
  }
  CHECK(fake::words().empty());
  auto second = immediate();
  second.own.next();
  second.own.next();
  CHECK(second.own.next().result == 3);
  CHECK(fake::words().back() == "resolve 1 previous 0");
  auto third = awaits_immediate();
  third.own.next();
  third.own.next();
  CHECK(third.own.next().result == 45);
  CHECK(fake::words().back() == "resolve 2 previous 0");
}

namespace {

struct Friendly;
class Restricted {  // only `friendly` can use it
  friend Friendly friendly();
  bool await_ready() noexcept { return false; }
  void await_suspend(std::coroutine_handle<>) noexcept {}
  void await_resume() noexcept {}
};
struct Friendly {
  struct promise_type {
    Friendly get_return_object() { return {Owner<promise_type>(*this)}; }
    Restricted initial_suspend() { return {}; }
    Restricted final_suspend() noexcept { return {}; }
    void unhandled_exception() { throw; }
    void return_void() {}
  };
  Owner<promise_type> own;
};
Friendly friendly() { co_return; }

struct Located {
  int* line;
  bool await_ready(int at = __builtin_LINE()) noexcept {
    *line = at;
    return false;
  }
  void await_suspend(std::coroutine_handle<>) noexcept {}
  void await_resume() noexcept {}
};
struct Locates {
  struct promise_type : Basics {
    int line = 0;
    Locates get_return_object() { return {Owner<promise_type>(*this)}; }
    Located initial_suspend() { return {&line}; }
    void return_void() {}
  };
  Owner<promise_type> own;
};
const int kAbove = __LINE__;
Locates located() { co_return; }

// Keeps its result, and the handle of a frame whose page is gone.
struct Cached {
  struct promise_type : Basics {
    int value = 0;
    Cached get_return_object() {
      return {std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    void return_value(int v) { value = v; }
    static void* operator new(size_t size) {
      return mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    }
    static void operator delete(void* frame, size_t size) { munmap(frame, size); }
  };
  std::coroutine_handle<promise_type> handle;
  int result = 0;
  void run() {
    handle.resume();
    result = handle.promise().value;
    handle.destroy();
  }
  bool await_ready() const noexcept { return true; }
  void await_suspend(std::coroutine_handle<>) noexcept {}
  int await_resume() const noexcept { return result; }
};
Cached cached() { co_return 4; }
Cached reads_cached(Cached& other) { co_return co_await other; }
// The same, but only await_suspend() knows that the result is there.
struct Unready : Cached {
  struct promise_type : Cached::promise_type {
    Unready get_return_object() { return {Cached::promise_type::get_return_object()}; }
  };
  bool await_ready() const noexcept { return false; }
  bool await_suspend(std::coroutine_handle<>) noexcept { return false; }
};
Unready unready() { co_return 4; }
Cached reads_unready(Unready& other) { co_return co_await other; }

#if defined(__clang__) && __has_cpp_attribute(clang::coro_return_type)
#define CORO_RETURN_TYPE [[clang::coro_return_type, clang::coro_lifetimebound]]
#else
#define CORO_RETURN_TYPE
#endif
// clang: only coroutines return it, and refer to their parameters.
struct CORO_RETURN_TYPE Marked {
  struct promise_type : Basics {
    int value = 0;
    Marked get_return_object() { return {Owner<promise_type>(*this)}; }
    void return_value(int v) { value = v; }
  };
  Owner<promise_type> own;
};
Marked marked(const int& value) { co_return value + 1; }

}  // namespace

namespace clocks {
struct Seconds {
  int count;
};
struct Timer {
  int count;
  Timer(Seconds s) : count(s.count) {}
  Timer(const Timer&) = delete;
  ~Timer() { count = -1; }
};
struct Port {
  Port(int) {}
};
struct Elapsed {
  const Timer& timer;
  bool await_ready() const noexcept { return false; }
  bool await_suspend(std::coroutine_handle<>) const noexcept { return false; }
  int await_resume() const noexcept { return timer.count; }
};
Elapsed operator co_await(const Timer& timer) { return {timer}; }
Elapsed operator co_await(const Port&);
}  // namespace clocks

namespace {

Cached sleeps() { co_return co_await clocks::Seconds{6}; }

}  // namespace

TEST_CASE("the result of a conversion for operator co_await lives until the coroutine resumes") {
  Cached task = sleeps();
  task.run();
  CHECK(task.result == 6);
}

TEST_CASE("an awaited task whose frame is no longer mapped") {
  Cached inner = cached();
  inner.run();
  Cached outer = reads_cached(inner);
  outer.run();
  CHECK(outer.result == 4);
}

TEST_CASE("a task keeps the handle of a frame that is gone, and is not ready") {
  fake::reset();
  Unready inner = unready();
  Cached outer = reads_unready(inner);  // before the frame of `inner` is gone, elsewhere
  inner.run();
  outer.run();
  CHECK(outer.result == 4);
}

TEST_CASE("a type that only coroutines return") {
  fake::reset();
  const int value = 3;
  Marked coroutine = marked(value);
  coroutine.own.next();
  CHECK(coroutine.own.handle.promise().value == 4);
}

TEST_CASE("awaiters of initial_suspend for a friend, and with a location") {
  auto restricted = friendly();
  restricted.own.next();
  CHECK(restricted.own.handle.done());
  auto coroutine = located();
  CHECK(coroutine.own.handle.promise().line == kAbove + 1);
}

namespace {
struct Lock {
  void* holder = nullptr;
  struct Waiter {
    Lock& of;
    bool await_ready() { return of.holder == nullptr; }
    void await_suspend(std::coroutine_handle<>) {}
    void await_resume() {}
  };
  struct Virtual : Waiter {
    explicit Virtual(Lock& l) : Waiter{l} {}
    virtual ~Virtual() = default;
  };
  Waiter lock() { return {*this}; }
  Waiter operator co_await() { return {*this}; }
};
struct Sleeps {
  long nanoseconds = 17'426'656'579'648;
  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<>) {}
  void await_resume() {}
};
Diamond awaits_objects(Lock& lock) {
  co_await lock.lock();
  lock.holder = &lock;
  co_await lock.lock();
  co_await lock;
  co_await Lock::Virtual(lock);
  co_await Sleeps();
}
}  // namespace

TEST_CASE("the object that an awaiter concerns") {
  fake::reset();
  Lock lock;
  {
    auto coroutine = awaits_objects(lock);
    for (int step = 0; step < 5; step++) coroutine.own.next();
  }
  std::vector<const void*> objects;
  std::string types;
  for (const fake::Call& call : fake::calls())
    if (call.what.starts_with("suspend") || call.what.starts_with("ready")) {
      objects.push_back(call.object);
      types += call.type.substr(call.type.find("_Tp = ") + 1) + '\n';
    }
  CHECK(objects == std::vector<const void*>{&lock, &lock, &lock, &lock, nullptr});
  CHECK(types.find("Lock::Waiter]\n") != std::string::npos);
  CHECK(types.find("Lock]\n") != std::string::npos);
}

namespace {
// Its first word is the address of its waiters' memory, which differs from wait to wait.
struct Gate {
  std::vector<std::coroutine_handle<>> waiters = {};
  bool is_open = false;
  bool await_ready() { return is_open; }
  void await_suspend(std::coroutine_handle<> waiter) { waiters.push_back(waiter); }
  void await_resume() {}
};
struct Unaligned {  // shorter than an address
  bool is_open = false;
  bool await_ready() { return is_open; }
  void await_suspend(std::coroutine_handle<>) {}
  void await_resume() {}
};
struct Refers {
  Lock& of;
  bool await_ready() const { return false; }
  void await_suspend(std::coroutine_handle<>) const {}
  void await_resume() const {}
};
// No await_transform, one, a template, and overloads that convert.
struct Direct {
  struct promise_type : Basics {
    Direct get_return_object() { return {Owner<promise_type>(*this)}; }
  };
  Owner<promise_type> own;
};
struct Passes {
  struct promise_type : Basics {
    Passes get_return_object() { return {Owner<promise_type>(*this)}; }
    Gate& await_transform(Gate& gate) { return gate; }
  };
  Owner<promise_type> own;
};
struct ReturnsLvalues {
  struct promise_type : Basics {
    ReturnsLvalues get_return_object() { return {Owner<promise_type>(*this)}; }
    template <class T>
    T& await_transform(T&& awaited) {
      return awaited;
    }
    template <class T>
    T& await_transform(T& awaited) {
      return awaited;
    }
  };
  Owner<promise_type> own;
};
struct Converts {
  struct promise_type : Basics {
    Converts get_return_object() { return {Owner<promise_type>(*this)}; }
    Gate& await_transform(Gate& gate) { return gate; }
    std::suspend_always await_transform(int) { return {}; }
  };
  Owner<promise_type> own;
};

template <class Coroutine>
Coroutine awaits_gate(Gate& gate) {
  co_await gate;
}
Direct awaits_lvalues(Lock& lock, Unaligned& unaligned, Lock::Virtual& derived) {
  co_await unaligned;
  co_await derived;
  const Refers refers{lock};
  co_await refers;
  std::suspend_always always;
  co_await always;
}
ReturnsLvalues awaits_temporary(Lock& lock) { co_await lock.lock(); }

// The objects of the suspensions and of the awaits that did not suspend.
std::vector<const void*> awaited_objects() {
  std::vector<const void*> objects;
  for (const fake::Call& call : fake::calls())
    if (call.what.starts_with("suspend") || call.what.starts_with("ready"))
      objects.push_back(call.object);
  return objects;
}
}  // namespace

TEST_CASE("an awaiter that is an lvalue is the object, whatever it contains") {
  using Objects = std::vector<const void*>;
  const auto objects = [](auto start, int steps) {
    fake::reset();
    auto coroutine = start();
    for (int step = 0; step < steps; step++) coroutine.own.next();
    return awaited_objects();
  };
  Gate gate;
  CHECK(objects([&] { return awaits_gate<Direct>(gate); }, 1) == Objects{&gate});
  gate.waiters.reserve(100);
  CHECK(objects([&] { return awaits_gate<Direct>(gate); }, 1) == Objects{&gate});
  CHECK(objects([&] { return awaits_gate<Passes>(gate); }, 1) == Objects{&gate});
  CHECK(objects([&] { return awaits_gate<ReturnsLvalues>(gate); }, 1) == Objects{&gate});
  CHECK(objects([&] { return awaits_gate<Converts>(gate); }, 1) == Objects{&gate});
  CHECK(gate.waiters.size() == 5);
  gate.is_open = true;
  CHECK(objects([&] { return awaits_gate<Direct>(gate); }, 1) == Objects{&gate});

  Lock lock;
  lock.holder = &lock;
  Unaligned unaligned;
  Lock::Virtual derived(lock);
  const auto lvalues = [&] { return awaits_lvalues(lock, unaligned, derived); };
  CHECK(objects(lvalues, 4) == Objects{&unaligned, &derived, &lock, nullptr});
  CHECK(objects([&] { return awaits_temporary(lock); }, 1) == Objects{&lock});
}

namespace {
struct Context {
  std::coroutine_handle<> waiting;
};
}  // namespace

template <>
struct std::coroutine_traits<void, Context&> {
  struct promise_type {
    static void* operator new(size_t size) {
      return memset(::operator new(size), 0x5a, size);  // as in memory that was used before
    }
    static void operator delete(void* frame) { ::operator delete(frame); }
    void get_return_object() {}
    std::suspend_never initial_suspend() { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
};

static void returns_nothing(Context& context) {
  struct Later {
    Context& context;
    bool await_ready() { return false; }
    void await_suspend(std::coroutine_handle<> handle) { context.waiting = handle; }
    void await_resume() {}
  };
  co_await Later{context};
}

TEST_CASE("a coroutine that returns void") {
  for (const bool recorded : {true, false}) {
    fake::reset(recorded);
    Context context;
    returns_nothing(context);
    context.waiting.resume();
    std::string calls;
    for (const std::string& each : fake::words()) calls += each.substr(0, each.find(' ', 8)) + "; ";
    CHECK(calls == (recorded ? "run 1 under; suspend 1; resume 1; resolve 1; " : ""));
  }
}

namespace {
template <class Coroutine>
void finish(Coroutine& coroutine) {
  while (!coroutine.own.handle.done()) coroutine.own.handle.resume();
}
}  // namespace

// Its operator co_await accepts anything, but is compiled for what is awaited only.
namespace accepting {
struct Awaiter {
  int value;
  bool await_ready() { return false; }
  bool await_suspend(std::coroutine_handle<>) { return false; }
  int await_resume() { return value; }
};
struct Operand {
  int value;
  Awaiter get() { return {value}; }
};
template <class T>
auto operator co_await(T&& t) {
  return t.get();
}
struct Sum {
  struct promise_type : Basics {
    int sum = 0;
    Sum get_return_object() { return {Owner<promise_type>(*this)}; }
    void return_value(int v) { sum = v; }
    std::suspend_always yield_value(int) { return {}; }
  };
  Owner<promise_type> own;
};
}  // namespace accepting
namespace accepting_lvalues {
struct Operand {
  int value;
  accepting::Awaiter get() { return {value}; }
};
template <class T>
auto operator co_await(T& t) {
  return t.get();
}
}  // namespace accepting_lvalues
namespace accepting_values {
struct Operand {
  int value;
  accepting::Awaiter get() { return {value}; }
};
template <class T>
auto operator co_await(T t) {
  return t.get();
}
}  // namespace accepting_values
static accepting::Sum sum() {
  co_yield 1;
  accepting::Operand two{2};
  accepting_lvalues::Operand three{3};
  accepting_values::Operand four{4};
  co_return co_await accepting::Operand{1} + co_await two + co_await three + co_await four +
      co_await accepting_values::Operand{5};
}

TEST_CASE("an operator co_await that accepts anything") {
  fake::reset();
  auto coroutine = sum();
  finish(coroutine);
  CHECK(coroutine.own.handle.promise().sum == 15);
  CHECK(std::ranges::count_if(fake::calls(), [](const fake::Call& call) {
          return call.what.starts_with("suspend") && call.line != 0;
        }) == 6);
}

namespace {
struct Flag {
  int value;
  accepting::Awaiter operator co_await() const volatile { return {value}; }
};
volatile Flag flag{7};
accepting::Sum awaits_volatile() { co_return co_await flag; }
}  // namespace

TEST_CASE("a volatile object is awaited") {
  fake::reset();
  auto coroutine = awaits_volatile();
  finish(coroutine);
  CHECK(coroutine.own.handle.promise().sum == 7);
}
