// Generators of several kinds.
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "alive.h"

template <class T>
struct Generator {
  struct promise_type {
    T* value = nullptr;
    std::exception_ptr error;
    Generator get_return_object() {
      const auto created = std::coroutine_handle<promise_type>::from_promise(*this);
      alive(created);
      return Generator{created};
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(T& v) {
      value = &v;
      return {};
    }
    std::suspend_always yield_value(T&& v) {
      value = &v;
      return {};
    }
    void return_void() {}
    void unhandled_exception() { error = std::current_exception(); }
  };
  std::coroutine_handle<promise_type> h;
  explicit Generator(std::coroutine_handle<promise_type> x) : h(x) {}
  Generator(Generator&& o) noexcept : h(std::exchange(o.h, {})) {}
  Generator& operator=(Generator&& o) noexcept {
    std::swap(h, o.h);
    return *this;
  }
  ~Generator() {
    if (h) destroy(h);
  }
  bool next() {
    h.resume();
    if (h.promise().error) std::rethrow_exception(h.promise().error);
    return !h.done();
  }
  T& value() { return *h.promise().value; }
};

// a generator that starts at once: a single suspension point
struct Counter {
  struct promise_type {
    int value;
    Counter get_return_object() {
      const auto created = std::coroutine_handle<promise_type>::from_promise(*this);
      alive(created);
      return {created};
    }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(int v) {
      value = v;
      return {};
    }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  std::coroutine_handle<promise_type> h;
};

Generator<int> iota(int from) {
  for (;;) co_yield from++;
}

Generator<long> fib() {
  long a = 0, b = 1;
  for (;;) {
    co_yield a;
    a = std::exchange(b, a + b);
  }
}

Generator<std::string> words(std::string text) {
  size_t at = 0;
  while (at < text.size()) {
    size_t e = text.find(' ', at);
    if (e == text.npos) e = text.size();
    co_yield text.substr(at, e - at);
    at = e + 1;
  }
}

Generator<int> evens(Generator<int> in) {
  while (in.next())
    if (in.value() % 2 == 0) co_yield in.value();
}

struct Tree {
  int v;
  std::unique_ptr<Tree> l, r;
  explicit Tree(int x) : v(x) {}
  Tree(int x, std::unique_ptr<Tree> a, std::unique_ptr<Tree> b)
      : v(x), l(std::move(a)), r(std::move(b)) {}
};

Generator<int> walk(const Tree* t) {
  if (!t) co_return;
  {
    auto g = walk(t->l.get());
    while (g.next()) co_yield g.value();
  }
  int v = t->v;
  co_yield v;
  auto g = walk(t->r.get());
  while (g.next()) co_yield g.value();
}

Counter forever(int step) {
  for (int i = 0;; i += step) co_yield i;
}

Counter bounded(int n) {
  for (int i = 0; i < n; i++) co_yield i* i;
}

Counter primes() {
  std::map<int, int> sieve;
  for (int n = 2;; n++) {
    auto it = sieve.find(n);
    if (it == sieve.end()) {
      co_yield n;
      sieve[n * n] = n;
    } else {
      int p = it->second;
      int m = n + p;
      while (sieve.count(m)) m += p;
      sieve[m] = p;
      sieve.erase(it);
    }
  }
}

struct Thing {
  Generator<int> each(int n) {
    for (int i = 0; i < n; i++) co_yield base + i;
  }
  int base = 3;
};

int main(int, char**) {
  std::vector<Generator<int>> ints;
  std::vector<Generator<long>> longs;
  std::vector<Generator<std::string>> strings;
  std::vector<Counter> counters;
  Thing thing;
  Tree tree(4, std::make_unique<Tree>(2), std::make_unique<Tree>(9));
  long sum = 0;
  for (int i = 0; i < 5; i++) {
    ints.push_back(iota(i));
    ints.push_back(thing.each(10));
    ints.push_back(walk(&tree));
    ints.push_back(evens(iota(i)));
    longs.push_back(fib());
    strings.push_back(words("here are some words of a text"));
    counters.push_back(forever(i));
    counters.push_back(bounded(100));
    counters.push_back(primes());
  }
  for (auto& g : ints) {
    g.next();
    sum += g.value();
  }
  for (auto& g : longs) {
    g.next();
    g.next();
    sum += g.value();
  }
  for (auto& g : strings) {
    g.next();
    sum += g.value().size();
  }
  for (auto& c : counters) {
    c.h.resume();
    sum += c.h.promise().value;
  }
  const char* n1[] = {"iota", "each", "walk", "evens"};
  for (size_t i = 0; i < ints.size(); i++) alive(ints[i].h, n1[i % 4]);
  for (auto& g : longs) alive(g.h, "fib");
  for (auto& g : strings) alive(g.h, "words");
  const char* n2[] = {"forever", "bounded", "primes"};
  for (size_t i = 0; i < counters.size(); i++) alive(counters[i].h, n2[i % 3]);
  std::printf("sum %ld\n", sum);
  finish();
}
