// Overloads that only a friend can call: the compiler finds them from the coroutine, skein does
// not.
#include <doctest/doctest.h>

#include <string>

#include "tests/adapters/coroutine_types.h"
#include "tests/adapters/fake_recorder.h"

namespace {

std::string selected;

template <class Promise>
struct Coroutine {
  explicit Coroutine(Promise& p) : handle(std::coroutine_handle<Promise>::from_promise(p)) {}
  Coroutine(Coroutine&& other) noexcept : handle(std::exchange(other.handle, nullptr)) {}
  ~Coroutine() {
    if (handle) handle.destroy();
  }
  std::coroutine_handle<Promise> handle;
};
struct Basics {
  std::suspend_never initial_suspend() { return {}; }
  std::suspend_always final_suspend() noexcept { return {}; }
  void unhandled_exception() { throw; }
  void return_void() {}
  static std::suspend_never select(const char* name) {
    selected += name;
    return {};
  }
};
template <class Overloads>
struct With {
  struct promise_type : Overloads {
    With get_return_object() { return {Coroutine<promise_type>(*this)}; }
  };
  Coroutine<promise_type> own;
};

struct Text {
  Text(const char*) {}
};
struct Key {};
struct Shape {
  virtual void draw() = 0;
};
struct Incomplete;
struct Fixed {
  explicit Fixed(int) {}
  Fixed(const Fixed&) = delete;
  ~Fixed() {}
};
template <class T>
struct Box {};
struct Friend;

class Numbers : public Basics {
  friend Friend;
  std::suspend_never await_transform(int) { return select("int "); }

 public:
  std::suspend_never await_transform(const char*) { return select("text "); }
};
class Pointers : public Basics {
  friend Friend;
  std::suspend_never await_transform(const char*) { return select("text "); }

 public:
  std::suspend_never await_transform(int) { return select("int "); }
};
class Rvalues : public Basics {
  friend Friend;
  std::suspend_never await_transform(Key&&) { return select("key&& "); }

 public:
  std::suspend_never await_transform(const Key&) { return select("const key& "); }
  std::suspend_never await_transform(Text) { return select("text "); }
};
class Functions : public Basics {
  friend Friend;
  std::suspend_never await_transform(void (&)()) { return select("function "); }

 public:
  std::suspend_never await_transform(const Box<int>&) const { return select("box "); }
  std::suspend_never await_transform(const Text&) noexcept { return select("text "); }
};
struct Friend {
  static With<Numbers> numbers() {
    co_await 1;
    co_await "";
  }
  static With<Pointers> pointers() {
    co_await 1;
    co_await "";
  }
  static With<Rvalues> rvalues() {
    const Key key;
    co_await Key();
    co_await key;
    co_await "";
  }
  static void function() {}
  static With<Functions> functions() {
    co_await function;
    co_await Box<int>();
    co_await "";
  }
};

struct Final {
  class promise_type final : public Basics {
    friend Final in_final();
    std::suspend_never await_transform(double) { return select("double "); }

   public:
    std::suspend_never await_transform(const Key&) { return select("key "); }
    Final get_return_object() { return {Coroutine<promise_type>(*this)}; }
  };
  Coroutine<promise_type> own;
};
Final in_final() {
  co_await 1.5;
  co_await Key();
}

template <class F>
std::string run(F coroutine) {
  fake::reset();
  selected.clear();
  coroutine();
  return selected;
}
}  // namespace

TEST_CASE("overloads of await_transform for a friend: the promise is left alone") {
  CHECK(run(Friend::numbers) == "int text ");
  CHECK(fake::words().empty());
  CHECK(run(Friend::pointers) == "int text ");
  CHECK(fake::words().empty());
  CHECK(run(Friend::rvalues) == "key&& const key& text ");
  CHECK(fake::words().empty());
  CHECK(run(Friend::functions) == "function box text ");
  CHECK(fake::words().empty());
  CHECK(run(in_final) == "double key ");
  CHECK(fake::words().empty());
}

namespace {
struct Everything : Basics {
  std::suspend_never await_transform(int) { return select("int "); }
  std::suspend_never await_transform(double) { return select("double "); }
  std::suspend_never await_transform(const char*) { return select("characters "); }
  std::suspend_never await_transform(const Text&) { return select("text "); }
  std::suspend_never await_transform(Key&&) { return select("key&& "); }
  std::suspend_never await_transform(const Key&) { return select("const key& "); }
  std::suspend_never await_transform(Box<int>&) { return select("box& "); }
  std::suspend_never await_transform(Incomplete&) { return select("incomplete "); }
  std::suspend_never await_transform(const Shape&) { return select("shape "); }
  std::suspend_never await_transform(Fixed) { return select("fixed "); }
  std::suspend_never await_transform(const int (&)[2]) { return select("array "); }
  std::suspend_never await_transform(void (&)()) { return select("function "); }
};
With<Everything> everything() {
  const Key key;
  Box<int> box;
  const int array[2]{};
  co_await 'c';
  co_await 1.5f;
  co_await "";
  co_await Text("");
  co_await key;
  co_await Key();
  co_await box;
  co_await Fixed(1);
  co_await array;
  co_await Friend::function;
}
}  // namespace

TEST_CASE("accessible overloads of every form are traced") {
  CHECK(run(everything) ==
        "int double characters text const key& key&& box& fixed array function ");
  CHECK(fake::words().front() == "run 1 under 0");
  CHECK(fake::words().size() == 12);  // ten operands are ready, and the end
}

namespace {
// Not hinted by the return type, and not convertible from braces, numbers or text.
struct Shown {
  explicit Shown(const Key&) {}
};
template <class T>
struct Cell {
  explicit Cell(const T&) {}
};
struct Yields {
  struct promise_type final : Basics {
    Yields get_return_object() { return {Coroutine<promise_type>(*this)}; }
    std::suspend_never yield_value(const Cell<Key>&) { return select("cell "); }
    std::suspend_never yield_value(const Shown&) { return select("shown "); }
  };
  Coroutine<promise_type> own;
};
struct MakesCell {
  operator Cell<Key>() const { return Cell<Key>(Key()); }
};
Yields yields() {
  co_yield MakesCell();
  co_yield Shown(Key());
}
}  // namespace

TEST_CASE("a yield of a final promise converts its argument for an overload that is not hinted") {
  CHECK(run(yields) == "cell shown ");
  CHECK(fake::words().empty());  // left alone
}
