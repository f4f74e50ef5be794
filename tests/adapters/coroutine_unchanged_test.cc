// Promises that skein/coroutine.h must not change: each test would not compile, use a dead object
// or select another overload if their functions were wrapped regardless. Compiled with -include
// skein/coroutine.h.
#include <doctest/doctest.h>

#include <coroutine>
#include <exception>
#include <memory>
#if __has_builtin(__builtin_source_location)
#include <source_location>
#endif
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tests/adapters/coroutine_types.h"
#include "tests/adapters/fake_recorder.h"

namespace {

using library::Basics;
using library::Owner;

const char* const kLong = "a text that is too long to lie in the string itself";

template <class T>
struct References {
  struct promise_type final : Basics {
    T* current = nullptr;
    References get_return_object() { return {Owner<promise_type>(*this)}; }
    void return_void() {}
    std::suspend_always yield_value(T& v) noexcept {
      current = std::addressof(v);
      return {};
    }
    std::suspend_always yield_value(T&& v) noexcept {
      current = std::addressof(v);
      return {};
    }
  };
  Owner<promise_type> own;
};
References<std::string> converted() { co_yield kLong; }
References<double> widened() { co_yield 1; }
}  // namespace

TEST_CASE("a final promise keeps the address of a yielded temporary") {
  fake::reset();
  {
    auto text = converted();
    CHECK(*text.own.next().current == kLong);
    auto number = widened();
    CHECK(*number.own.next().current == 1.0);
  }
#if defined(__clang__)  // g++ cannot prove that no overload is a template
  REQUIRE(!fake::words().empty());
  CHECK(fake::words().front() == "create 1 under 0 kind 2");
#endif
}

namespace {
// As in libcoro: a template and a non-template.
template <class T>
struct Returns {
  struct promise_type final : Basics {
    T value{};
    bool by_template = false;
    Returns get_return_object() { return {Owner<promise_type>(*this)}; }
    template <class V>
    requires std::is_constructible_v<T, V&&>
    void return_value(V&& v) {
      value = T(std::forward<V>(v));
      by_template = true;
    }
    void return_value(T&& v) { value = std::move(v); }
  };
  Owner<promise_type> own;
};
Returns<std::pair<int, int>> braces() { co_return {1, 2}; }
Returns<std::string> text() { co_return "text"; }
Returns<int*> null() { co_return 0; }
}  // namespace

TEST_CASE("co_return of braces, of an argument to convert, and of 0 for a pointer") {
  fake::reset();
  auto pair = braces();
  CHECK(pair.own.next().value == std::pair{1, 2});
  CHECK(!pair.own.handle.promise().by_template);
  auto string = text();
  CHECK(string.own.next().value == "text");
  CHECK(string.own.handle.promise().by_template);
  auto pointer = null();
  CHECK(pointer.own.next().value == nullptr);
  CHECK(fake::words().back() == "resolve 3 previous 0");
}

namespace {
// Counts moves, and records its end.
struct Counted {
  int* moves;
  std::string* log;
  Counted(int* m, std::string* l) : moves(m), log(l) {}
  Counted(Counted&& other) noexcept : moves(other.moves), log(other.log) { ++*moves; }
  ~Counted() { *log += "~"; }
};
struct LogAfter {
  std::string* log;
  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<>) { *log += "s"; }
  void await_resume() { *log += "r"; }
};
struct ByValue {
  struct promise_type : Basics {
    ByValue get_return_object() { return {Owner<promise_type>(*this)}; }
    void return_void() {}
    LogAfter yield_value(Counted c) { return {c.log}; }
    LogAfter await_transform(Counted c) { return {c.log}; }
  };
  Owner<promise_type> own;
};
ByValue by_value(int* moves, std::string* log) {
  co_yield Counted(moves, log);
  co_await Counted(moves, log);
}
}  // namespace

TEST_CASE("a parameter that is taken by value is not moved, and lives as long") {
  fake::reset();
  int moves = 0;
  std::string log;
  auto g = by_value(&moves, &log);
  for (int i = 0; i < 3; ++i) g.own.next();
  CHECK(moves == 0);
  CHECK(log == "sr~sr~");
  CHECK(fake::words().back() == "resolve 1 previous 0");
}

namespace {
struct OneOfTwo {
  struct promise_type : Basics {
    OneOfTwo get_return_object() { return {Owner<promise_type>(*this)}; }
    void return_void() {}
    LogAfter await_transform(Counted c) noexcept { return {c.log}; }
    LogAfter await_transform(std::string* log) { return {log}; }
  };
  Owner<promise_type> own;
};
OneOfTwo one_of_two(int* moves, std::string* log) {
  co_await Counted(moves, log);
  co_await log;
}
}  // namespace

TEST_CASE("an overloaded await_transform takes an object by value") {
  fake::reset();
  int moves = 0;
  std::string log;
  auto g = one_of_two(&moves, &log);
  for (int i = 0; i < 3; ++i) g.own.next();
  CHECK(moves == 0);
  CHECK(log == "sr~sr");
  CHECK(fake::calls()[2].line == __LINE__ - 13);
}

namespace {
struct Pinned : Counted {
  using Counted::Counted;
  Pinned(Pinned&&) = delete;
};
struct Copied : Counted {
  using Counted::Counted;
  Copied(const Copied& other) : Counted(other.moves, other.log) { *log += "c"; }
};
// The awaiter reads the parameter after the coroutine was suspended.
template <class T>
struct ReadAfter {
  T* object;
  static ReadAfter of(T& object) { return {&object}; }  // unlike `{&object}`, no warning
  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<>) { *object->log += "s"; }
  void await_resume() { *object->log += "r"; }
};
struct ByTemplate {
  struct promise_type : Basics {
    ByTemplate get_return_object() { return {Owner<promise_type>(*this)}; }
    void return_void() {}
    template <class T>
    ReadAfter<T> await_transform(T object) {
      return ReadAfter<T>::of(object);
    }
  };
  Owner<promise_type> own;
};
ByTemplate awaits_pinned(int* moves, std::string* log) { co_await Pinned(moves, log); }
ByTemplate awaits_copied(int* moves, std::string* log) {
  Copied object(moves, log);
  co_await object;
}
ByTemplate awaits_counted(int* moves, std::string* log) {
  Counted object(moves, log);
  co_await std::move(object);
}
}  // namespace

TEST_CASE("a template await_transform takes an object by value") {
  struct Case {
    ByTemplate (*coroutine)(int* moves, std::string* log);
    int moves;
    const char* log;
  };
  for (const Case& expected : {Case{awaits_pinned, 0, "sr~"}, Case{awaits_copied, 0, "csr~~"},
                               Case{awaits_counted, 1, "sr~~"}}) {
    fake::reset();
    int moves = 0;
    std::string log;
    auto g = expected.coroutine(&moves, &log);
    for (int i = 0; i < 2; ++i) g.own.next();
    CHECK(moves == expected.moves);
    CHECK(log == expected.log);
    CHECK(fake::words() == Words{"create 1 under 0", "resume 1", "suspend 1 on 0 previous 0",
                                 "resume 1", "resolve 1 previous 0"});
  }
}

#if __has_builtin(__builtin_source_location)
namespace {
using Location = std::source_location;
struct LogLines {
  std::vector<uint32_t>* lines;
  bool await_ready(Location here = Location::current()) { return log(here), false; }
  void await_suspend(std::coroutine_handle<>, Location here = Location::current()) { log(here); }
  void await_resume(Location here = Location::current()) { log(here); }
  void log(Location here) { lines->push_back(here.line()); }
};
template <class T>
struct Plain {
  T* awaiter;
  bool await_ready() { return true; }
  void await_suspend(std::coroutine_handle<>) {}
  void await_resume() {}
};
struct Located {
  struct promise_type : Basics {
    uint32_t line;
    explicit promise_type(std::vector<uint32_t>*, Location here = Location::current())
        : line(here.line()) {}
    Located get_return_object() { return {Owner<promise_type>(*this)}; }
    void return_void() {}
  };
  Owner<promise_type> own;
};
struct LocatedAwaits {
  struct promise_type : Basics {
    LocatedAwaits get_return_object() { return {Owner<promise_type>(*this)}; }
    void return_void() {}
    template <class T>
    T&& await_transform(T&& awaiter, Location here = Location::current()) {
      awaiter.log(here);
      return std::forward<T>(awaiter);
    }
  };
  Owner<promise_type> own;
};
Located located(std::vector<uint32_t>*) { co_return; }
LocatedAwaits located_awaits(std::vector<uint32_t>* lines) { co_await LogLines{lines}; }
}  // namespace

TEST_CASE("defaulted source locations of awaiters, await_transform and constructors") {
  const uint32_t line = __LINE__ - 4;
  fake::reset();
  std::vector<uint32_t> lines;
  CHECK(located(&lines).own.handle.promise().line == line - 1);
  CHECK(fake::words().empty());  // left alone
  auto g = located_awaits(&lines);
  for (int i = 0; i < 2; ++i) g.own.next();
  CHECK(lines == std::vector<uint32_t>(4, line));
  CHECK(fake::words().back() == "resolve 1 previous 0");
}
#endif

namespace {
class Friendly {
 public:
  explicit Friendly(std::string* log) : log_(log) {}
  bool await_ready() { return false; }

 private:
  friend struct FriendsCoroutine;
  void await_suspend(std::coroutine_handle<>) { *log_ += "s"; }
  void await_resume() { *log_ += "r"; }
  std::string* log_;
};
// Which reference the handle is passed as.
template <class P>
struct ByReference {
  std::string* log;
  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<P>&) { *log += "l"; }
  void await_suspend(std::coroutine_handle<P>&&) { *log += "t"; }
  void await_suspend(const std::coroutine_handle<P>&) { *log += "c"; }
  void await_resume() {}
};
struct Awaits {
  struct promise_type : Basics {
    Awaits get_return_object() { return {Owner<promise_type>(*this)}; }
    void return_void() {}
  };
  Owner<promise_type> own;
};
struct FriendsCoroutine {
  static Awaits run(std::string* log) {
    co_await Friendly(log);
    co_await ByReference<Awaits::promise_type>{log};
  }
};
}  // namespace

TEST_CASE("private functions of an awaiter; the handle as the compiler passes it") {
  fake::reset();
  std::string log;
  auto g = FriendsCoroutine::run(&log);
  for (int i = 0; i < 3; ++i) g.own.next();
#if defined(__clang__)
  CHECK(log == "srt");
#else
  CHECK(log == "srl");
#endif
  CHECK(fake::words().back() == "resolve 1 previous 0");
}

namespace {
struct OwnMemory {
  struct promise_type final : Basics {
    OwnMemory get_return_object() { return {Owner<promise_type>(*this)}; }
    void return_void() {}

   private:
    friend OwnMemory own_memory(int* allocated);
    void* operator new(size_t size, int* allocated) {
      ++*allocated;
      return ::operator new(size);
    }
    void operator delete(void* memory) { ::operator delete(memory); }
  };
  Owner<promise_type> own;
};
__attribute__((noinline)) OwnMemory own_memory(int*) { co_return; }  // else clang may not allocate
}  // namespace

TEST_CASE("a final promise with an allocation function for friends is left alone") {
  fake::reset();
  int allocated = 0;
  own_memory(&allocated).own.next();
  CHECK(allocated == 1);
  CHECK(fake::words().empty());
}

namespace {
template <class T>
struct ReturnsAny {
  struct promise_type final : Basics {
    int moves = -1;
    ReturnsAny get_return_object() { return {Owner<promise_type>(*this)}; }
    void return_value(T&&) {}
    template <class U>
    void return_value(U object) {
      moves = *object.moves;
    }
  };
  Owner<promise_type> own;
};
ReturnsAny<int> returns_object(int* moves, std::string* log) { co_return Counted(moves, log); }
}  // namespace

TEST_CASE("a template return_value of a final promise takes an object by value") {
  fake::reset();
  int moves = 0;
  std::string log;
  CHECK(returns_object(&moves, &log).own.next().moves == 0);
  CHECK(fake::words().empty());  // left alone
}

namespace {
struct Private {
  class promise_type {
   public:
    Private get_return_object() { return {Owner<promise_type>(*this)}; }
    int result = 0;

   private:
    friend Private has_private_members();
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void unhandled_exception() { throw; }
    void return_value(int v) { result = v; }
  };
  Owner<promise_type> own;
};
Private has_private_members() { co_return 5; }

struct PrivateOverload {
  class promise_type : public Basics {
   public:
    int value = 0;
    PrivateOverload get_return_object() { return {Owner<promise_type>(*this)}; }
    void return_void() {}
    std::suspend_always yield_value(int&& v) { return yield_value(&v); }
    std::suspend_always yield_value(const int& v) { return yield_value(&v); }

   private:
    std::suspend_always yield_value(const int* v) {
      value = *v;
      return {};
    }
  };
  Owner<promise_type> own;
};
PrivateOverload private_overload() { co_yield 7; }

struct Virtual {
  struct Base {
    int calls = 0;
    int yielded = 0;
    virtual ~Base() = default;
    virtual std::suspend_always initial_suspend() { return {}; }
    virtual std::suspend_always final_suspend() noexcept { return {}; }
    virtual std::suspend_always yield_value(int v) {
      yielded = v;
      return {};
    }
    virtual void unhandled_exception() { ++calls; }
  };
  struct promise_type : Base {
    Virtual get_return_object() { return {Owner<promise_type>(*this)}; }
    void return_void() {}
    std::suspend_always final_suspend() noexcept final { return {}; }
    void unhandled_exception() final { Base::unhandled_exception(); }
  };
  Owner<promise_type> own;
};
Virtual throws() {
  co_yield 3;
  throw 1;
}
}  // namespace

TEST_CASE("private and virtual members") {
  fake::reset();
  CHECK(has_private_members().own.next().result == 5);
  CHECK(fake::words().empty());  // left alone
  CHECK(private_overload().own.next().value == 7);
  fake::reset();
  auto v = throws();
  CHECK(v.own.next().yielded == 3);
  CHECK(v.own.next().calls == 1);
  CHECK(fake::words().back() == "fail 1 an exception of type i previous 0");
}

namespace {
// The only await_transform converts its argument to a temporary, and keeps the address.
struct Converts {
  struct promise_type : Basics {
    std::string heard;
    Converts get_return_object() { return {Owner<promise_type>(*this)}; }
    void return_void() {}
    struct Late {
      const std::string& text;
      std::string& heard;
      bool await_ready() { return false; }
      void await_suspend(std::coroutine_handle<>) {}
      void await_resume() { heard = text; }
    };
    Late await_transform(const std::string& s) { return {s, heard}; }
  };
  Owner<promise_type> own;
};
Converts converts() { co_await kLong; }
}  // namespace

TEST_CASE("the argument of a single await_transform is converted in the coroutine") {
  fake::reset();
  auto c = converts();
  c.own.next();
  CHECK(c.own.next().heard == kLong);
  CHECK(fake::calls()[2].line == __LINE__ - 8);
}

namespace {
// As in P2300: a task may yield an error.
template <class E>
struct WithError {
  E error;
};
struct Stopped {};
template <class T>
struct Sender {
  struct promise_type : Basics {
    T value{};
    Sender get_return_object() { return {Owner<promise_type>(*this)}; }
    void return_value(T v) { value = v; }
    template <class E>
    std::suspend_always yield_value(WithError<E>) {
      return {};
    }
    std::suspend_always yield_value(Stopped) { return {}; }
  };
  Owner<promise_type> own;
};
Sender<int> sender() { co_return 1; }
}  // namespace

TEST_CASE("a task that can only yield errors is no generator") {
  fake::reset();
  CHECK(sender().own.next().value == 1);
  REQUIRE(!fake::words().empty());
  CHECK(fake::words().front() == "create 1 under 0");
}

namespace {
// The awaiter of a yield uses the type of the promise.
template <class T>
struct AnyHandle {
  struct promise_type : Basics {
    bool same = false;
    AnyHandle get_return_object() { return {Owner<promise_type>(*this)}; }
    void return_void() {}
    struct Awaiter {
      bool await_ready() noexcept { return false; }
      template <class P>
      void await_suspend(std::coroutine_handle<P> h) noexcept {
        h.promise().same = std::is_same_v<P, promise_type>;
      }
      void await_resume() noexcept {}
    };
    template <class U>
    Awaiter yield_value(U&&) {
      return {};
    }
  };
  Owner<promise_type> own;
};
AnyHandle<int> any_handle() { co_yield 1; }
}  // namespace

TEST_CASE("a template await_suspend gets the handle of the library's promise") {
  fake::reset();
  CHECK(any_handle().own.next().same);
  CHECK(fake::words().empty());  // left alone
}

namespace {
struct Aggregate {
  struct promise_type {
    int number = 0;
    Aggregate get_return_object() {
      return {std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void unhandled_exception() {}
    void return_void() {}
  };
  std::coroutine_handle<promise_type> handle;
};
Aggregate aggregate(int) { co_return; }
}  // namespace

TEST_CASE("an aggregate is initialised as without skein") {
  fake::reset();
  Aggregate a = aggregate(3);
  // g++ 12 and clang 16 initialise the member with the parameter, clang 14 does not.
  const bool initialised = std::is_constructible_v<Aggregate::promise_type, int&>;
  CHECK(a.handle.promise().number == (initialised ? 3 : 0));
  CHECK(fake::words() == Words{"create 1 under 0"});
  a.handle.destroy();
}
