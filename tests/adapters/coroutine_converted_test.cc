// Operands of co_await that an overloaded await_transform converts or takes by value: the objects
// live as long, and are moved as often, as without skein/coroutine.h. One that operator co_await
// takes by value is moved once more. Each awaiter reads its object
// after the coroutine was suspended. Compiled with -include skein/coroutine.h.
#include <doctest/doctest.h>

#include <coroutine>
#include <memory>
#if __has_builtin(__builtin_source_location)
#include <source_location>
#endif
#include <string>
#include <type_traits>
#include <utility>

#include "tests/adapters/coroutine_types.h"
#include "tests/adapters/fake_recorder.h"

namespace {
std::string life;  // of the objects of the running test

struct Text {
  std::string text;
  Text(const char* t) : text(t) { life += "+" + text; }
  Text(const Text& other) : text(other.text) { life += "c" + text; }
  Text(Text&& other) noexcept : text(std::exchange(other.text, "?")) { life += "m" + text; }
  ~Text() { life += "~" + text; }
};
struct Converts {
  operator Text() const { return "x"; }
};
struct Derived : Text {
  using Text::Text;
};

void read(const Text& t) { life += "r" + t.text; }
void read(const double& number) { life += "r" + std::to_string(static_cast<int>(number)); }
template <class T>
struct Reads {
  T* object;
  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<>) { life += "s"; }
  void await_resume() { read(*object); }
};
template <class T>
struct ReadsByOperator {
  Reads<T> awaiter;
  ~ReadsByOperator() { life += "~awaitable"; }
  Reads<T> operator co_await() { return awaiter; }
};
template <class T>
Reads<T> reads(T& object) {
  return {std::addressof(object)};
}

struct Basics {
  std::suspend_never initial_suspend() { return {}; }
  std::suspend_always final_suspend() noexcept { return {}; }
  void unhandled_exception() { throw; }
  void return_void() {}
};
template <class Overloads>
struct Coroutine {
  struct promise_type : Basics, Overloads {
    Coroutine get_return_object() {
      return Coroutine{std::coroutine_handle<promise_type>::from_promise(*this)};
    }
  };
  std::coroutine_handle<promise_type> handle;
  explicit Coroutine(std::coroutine_handle<promise_type> h) : handle(h) {}
  Coroutine(Coroutine&& other) noexcept : handle(std::exchange(other.handle, nullptr)) {}
  ~Coroutine() {
    if (handle) handle.destroy();
  }
};
// Runs the coroutine to its end, and a second one only to its first suspension.
template <class C>
std::string run(C coroutine) {
  fake::reset();
  life.clear();
  {
    auto c = coroutine();
    while (!c.handle.done()) c.handle.resume();
  }
  const std::string whole = life;
  life.clear();
  coroutine();
  return whole + " destroyed " + life;
}
}  // namespace

namespace {
struct ByReference {
  ReadsByOperator<const Text> await_transform(const Text& t) { return {reads(t)}; }
  Reads<const double> await_transform(const double& number) { return reads(number); }
  Reads<Text> await_transform(Text*) = delete;
};
Coroutine<ByReference> by_constructor() { co_await "x"; }
Coroutine<ByReference> by_operator() { co_await Converts{}; }
Coroutine<ByReference> by_promotion() { co_await 3; }
Coroutine<ByReference> to_base() { co_await Derived("x"); }
Coroutine<ByReference> directly() { co_await Text("x"); }
}  // namespace

TEST_CASE("an operand is converted for one of several overloads") {
  CHECK(run(by_constructor) == "+xsrx~awaitable~x destroyed +xs~awaitable~x");
  const auto calls = fake::calls();
  REQUIRE(calls.size() > 2);
  CHECK(calls[1].line == __LINE__ - 11);  // not left to the library: the wait has a location
  CHECK(run(by_operator) == "+xsrx~awaitable~x destroyed +xs~awaitable~x");
  CHECK(run(by_promotion) == "sr3 destroyed s");
  CHECK(run(to_base) == "+xsrx~awaitable~x destroyed +xs~awaitable~x");
  CHECK(run(directly) == "+xsrx~awaitable~x destroyed +xs~awaitable~x");
  CHECK(fake::words() == Words{"run 1 under 0", "suspend 1 on 0 previous 0", "resume 1",
                               "resolve 1 previous 0", "run 2 under 0", "suspend 2 on 0 previous 0",
                               "cancel 2"});
}

namespace {
struct Values {
  Reads<Text> await_transform(Text t) { return reads(t); }
  Reads<double> await_transform(double* number) { return reads(*number); }
};
struct TemplateValue {
  template <class T>
  Reads<T> await_transform(T t) {
    return reads(t);
  }
  Reads<double> await_transform(double* number) { return reads(*number); }
};
// Compiles with no reference as T.
struct OnlyTemplate {
  template <class T>
  auto await_transform(T t) {
    T* object = std::addressof(t);
    return Reads<const Text>{object};
  }
};
Coroutine<OnlyTemplate> only_template() { co_await Text("x"); }
Coroutine<Values> value_converted() { co_await Converts{}; }
Coroutine<Values> value() { co_await Text("x"); }
Coroutine<TemplateValue> template_value() { co_await Text("x"); }
Coroutine<TemplateValue> template_moved() {
  Text t("x");
  co_await std::move(t);
}
}  // namespace

TEST_CASE("an object is taken by value, and moved only if the operand is not a temporary") {
  CHECK(run(value_converted) == "+xsrx~x destroyed +xs~x");
  CHECK(run(value) == "+xsrx~x destroyed +xs~x");
  CHECK(run(template_value) == "+xsrx~x destroyed +xs~x");
  CHECK(run(only_template) == "+xsrx~x destroyed +xs~x");
  CHECK(run(template_moved) == "+xmxsrx~x~? destroyed +xmxs~x~?");
}

namespace {
const double one = 1;
// The template has the same result, and must not be called instead.
struct SameResult {
  template <class T>
  Reads<const double> await_transform(T) {
    life += "value";
    return reads(one);
  }
  Reads<const double> await_transform(const Text&) {
    life += "const";
    return reads(one);
  }
};
Coroutine<SameResult> same_result() { co_await Text("x"); }

// The other template does not compile with the operand.
template <class T>
struct Wrapped : Text {
  using Text::Text;
};
struct Generic {
  template <class T>
  auto await_transform(T&& awaitable) {
    return awaitable.has_no_such_member();
  }
  template <class T>
  auto await_transform(Wrapped<T> t) {
    return Reads<const Text>{std::addressof(t)};
  }
};
Coroutine<Generic> generic() { co_await Wrapped<int>("x"); }
}  // namespace

TEST_CASE("templates beside the selected overload") {
  CHECK(run(same_result) == "+xconstsr1~x destroyed +xconsts~x");
  CHECK(run(generic) == "+xsrx~x destroyed +xs~x");
}

namespace {
struct Throws {
  Reads<const Text> await_transform(const Text& t) {
    if (t.text == "throw") throw 1;
    return reads(t);
  }
  Reads<const double> await_transform(const double& number) { return reads(number); }
};
Coroutine<Throws> throws() {
  try {
    co_await "throw";
  } catch (int) {
    life += "caught";
  }
  co_await "x";
}
Coroutine<Throws> leaves() {
  co_await "x";
  throw 1;
}

// Only the coroutine can call the functions of the awaiter.
class Friendly {
 public:
  explicit Friendly(const Text& t) : text_(t) {}

 private:
  friend struct FriendsCoroutine;
  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<>) { life += "s"; }
  void await_resume() { read(text_); }
  const Text& text_;
};
struct Friends {
  Friendly await_transform(const Text& t) { return Friendly(t); }
  Friendly await_transform(double*) { return Friendly("number"); }
};
struct FriendsCoroutine {
  static Coroutine<Friends> run() { co_await "x"; }
};
}  // namespace

TEST_CASE("a converted operand with an exception, and with an awaiter for friends") {
  CHECK(run(throws) == "+throw~throwcaught+xsrx~x destroyed +throw~throwcaught+xs~x");
  CHECK(run(FriendsCoroutine::run) == "+xsrx~x destroyed +xs~x");
  life.clear();
  {
    auto c = leaves();
    CHECK_THROWS_AS(c.handle.resume(), int);
  }
  CHECK(life == "+xsrx~x");
}

#if __has_builtin(__builtin_source_location)
namespace {
// With a location, an Item would be converted for the wrong overload.
struct Item {
  operator Text() const { return "wrong"; }
};
struct Located {
  Reads<const Text> await_transform(const Text& t,
                                    std::source_location here = std::source_location::current()) {
    life += here.line() == line ? "here" : "elsewhere";
    return reads(t);
  }
  Reads<const double> await_transform(const Item&) { return reads(one); }
  static constexpr uint32_t line = __LINE__ + 2;
};
Coroutine<Located> located() { co_await Text("x"); }
Coroutine<Located> not_located() { co_await Item(); }
}  // namespace

TEST_CASE("one of several overloads has a source location") {
  CHECK(run(located) == "+xheresrx~x destroyed +xheres~x");
  CHECK(run(not_located) == "sr1 destroyed s");
}
#endif

namespace {
struct Final {
  struct promise_type final : Basics {
    Final get_return_object() {
      return Final{std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    Reads<const Text> await_transform(const Text& t) { return reads(t); }
    Reads<const double> await_transform(const double& number) { return reads(number); }
  };
  std::coroutine_handle<promise_type> handle;
  explicit Final(std::coroutine_handle<promise_type> h) : handle(h) {}
  Final(Final&& other) noexcept : handle(std::exchange(other.handle, nullptr)) {}
  ~Final() {
    if (handle) handle.destroy();
  }
};
Final in_final() {
  co_await "x";
  co_await 3;
}
}  // namespace

TEST_CASE("an operand is converted by a final promise") {
  CHECK(run(in_final) == "+xsrx~xsr3 destroyed +xs~x");
  CHECK(fake::words().back() == "cancel 2");
}

namespace {
struct TakenByValue : Text {
  using Text::Text;
};
Reads<Text> operator co_await(TakenByValue t) { return reads<Text>(t); }
template <class T>
struct TakenByReference : Text {
  using Text::Text;
};
template <class T>
Reads<Text> operator co_await(TakenByReference<T>&& t) {
  return reads<Text>(t);
}
template <class T>
Reads<Text> operator co_await(TakenByReference<T>& t) {
  return reads<Text>(t);
}
struct Passes {
  template <class T>
  T&& await_transform(T&& t) {
    return static_cast<T&&>(t);
  }
};
struct None {};
template <class Overloads>
Coroutine<Overloads> by_value() {
  co_await TakenByValue("x");
}
Coroutine<None> by_reference() {
  co_await TakenByReference<int>("x");
  TakenByReference<int> t("y");
  co_await t;
}
}  // namespace

TEST_CASE("a parameter of operator co_await lives until the coroutine resumes") {
  CHECK(run(by_value<None>) == "+xmxsrx~x~? destroyed +xmxs~x~?");
  const auto calls = fake::calls();
  REQUIRE(calls.size() > 2);
  CHECK(calls[1].line == __LINE__ - 13);
  CHECK(run(by_value<Passes>) == "+xmxsrx~x~? destroyed +xmxs~x~?");
  CHECK(run(by_reference) == "+xsrx~x+ysry~y destroyed +xs~x");
}

namespace {
struct Request : Text {
  using Text::Text;
};
template <class T>
struct TypedRequest : Request {
  using Request::Request;
};
Reads<Text> operator co_await(Request r) { return reads<Text>(r); }
Coroutine<None> by_value_of_base() { co_await TypedRequest<int>("x"); }
}  // namespace

TEST_CASE("operator co_await may take a base class of the operand by value") {
  CHECK(run(by_value_of_base).starts_with("+xmxsrx~x~? destroyed +xmxs~x~?"));
}
