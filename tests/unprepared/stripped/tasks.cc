// Lazy tasks of values with exceptions, when_all with a counter, a thread pool, mutexes.
#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <variant>

#include "alive.h"

struct Event {
  std::mutex m;
  std::vector<std::coroutine_handle<>> w;
  struct A {
    Event& e;
    bool await_ready() { return false; }
    void await_suspend(std::coroutine_handle<> h) {
      std::lock_guard l(e.m);
      e.w.push_back(h);
    }
    void await_resume() {}
  };
  A operator co_await() { return {*this}; }
};
Event never;
struct Base {
  std::coroutine_handle<> next;
  struct Final {
    bool await_ready() noexcept { return false; }
    template <class P>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<P> h) noexcept {
      auto n = h.promise().next;
      return n ? n : std::noop_coroutine();
    }
    void await_resume() noexcept {}
  };
  std::suspend_always initial_suspend() noexcept { return {}; }
  Final final_suspend() noexcept { return {}; }
};

template <class T>
struct [[nodiscard]] Task {
  struct promise_type : Base {
    std::variant<std::monostate, T, std::exception_ptr> r;
    Task get_return_object() {
      const auto created = std::coroutine_handle<promise_type>::from_promise(*this);
      alive(created);
      return Task{created};
    }
    template <class U>
    void return_value(U&& u) {
      r.template emplace<1>(std::forward<U>(u));
    }
    void unhandled_exception() { r.template emplace<2>(std::current_exception()); }
  };
  std::coroutine_handle<promise_type> h;
  explicit Task(std::coroutine_handle<promise_type> x) : h(x) {}
  Task(Task&& o) noexcept : h(std::exchange(o.h, {})) {}
  ~Task() {
    if (h) destroy(h);
  }
  auto operator co_await() && {
    struct A {
      std::coroutine_handle<promise_type> h;
      bool await_ready() { return h.done(); }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<> c) {
        h.promise().next = c;
        return h;
      }
      T await_resume() {
        if (auto* e = std::get_if<2>(&h.promise().r)) std::rethrow_exception(*e);
        return std::move(std::get<1>(h.promise().r));
      }
    };
    return A{h};
  }
};

template <>
struct [[nodiscard]] Task<void> {
  struct promise_type : Base {
    std::exception_ptr e;
    Task get_return_object() {
      const auto created = std::coroutine_handle<promise_type>::from_promise(*this);
      alive(created);
      return Task{created};
    }
    void return_void() {}
    void unhandled_exception() { e = std::current_exception(); }
  };
  std::coroutine_handle<promise_type> h;
  explicit Task(std::coroutine_handle<promise_type> x) : h(x) {}
  Task(Task&& o) noexcept : h(std::exchange(o.h, {})) {}
  ~Task() {
    if (h) destroy(h);
  }
  auto operator co_await() && {
    struct A {
      std::coroutine_handle<promise_type> h;
      bool await_ready() { return h.done(); }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<> c) {
        h.promise().next = c;
        return h;
      }
      void await_resume() {
        if (h.promise().e) std::rethrow_exception(h.promise().e);
      }
    };
    return A{h};
  }
};

struct Pool {
  std::mutex m;
  std::condition_variable cv;
  std::deque<std::coroutine_handle<>> q;
  std::vector<std::thread> t;
  std::atomic<int> idle{0};
  void work() {
    for (;;) {
      std::unique_lock l(m);
      idle++;
      cv.wait(l, [&] { return !q.empty(); });
      idle--;
      auto h = q.front();
      q.pop_front();
      l.unlock();
      h.resume();
    }
  }
  auto schedule() {
    struct A {
      Pool& p;
      bool await_ready() { return false; }
      void await_suspend(std::coroutine_handle<> h) {
        {
          std::lock_guard l(p.m);
          p.q.push_back(h);
        }
        p.cv.notify_one();
      }
      void await_resume() {}
    };
    return A{*this};
  }
} pool;

struct Connection {
  int fd;
  std::string name;
};

Task<int> read_some(Connection& c, size_t n) {
  co_await never;
  co_return c.fd + n;
}

Task<std::string> read_line(Connection& c) {
  std::string s;
  for (;;) {
    int n = co_await read_some(c, s.size());
    if (n == 0) break;
    s += char(n);
  }
  co_return s;
}

Task<void> serve(std::unique_ptr<Connection> c) {
  for (;;) {
    std::string s = co_await read_line(*c);
    if (s.empty()) throw 1;
    std::puts(s.c_str());
  }
}

Task<void> on_pool(int) {
  co_await pool.schedule();
  co_await never;
}

Task<int> fails(int n) {
  if (n > 2) throw std::string("x");
  co_await never;
  co_return n;
}

Task<int> retry(int n) {
  for (int i = 0; i < 3; i++) {
    try {
      co_return co_await fails(n);
    } catch (const std::string&) {
      n--;
    }
  }
  co_return 0;
}

Task<void> unstarted(std::string s) {
  std::puts(s.c_str());
  co_return;
}

Task<int> ended(int n) { co_return n; }
Task<void> only() { co_await never; }
int main() {
  for (int i = 0; i < 2; i++) pool.t.emplace_back([] { pool.work(); });
  std::vector<Task<void>> v;
  std::vector<Task<int>> w;
  for (int i = 0; i < 6; i++) {
    v.push_back(serve(std::make_unique<Connection>(Connection{i, "c"})));
    v.push_back(on_pool(i));
    v.push_back(only());
    v.push_back(unstarted("s"));
    w.push_back(retry(i));
    w.push_back(ended(i));
  }
  for (size_t i = 0; i < v.size(); i++)
    if (i % 4 != 3) v[i].h.resume();
  for (auto& x : w) x.h.resume();
  for (;;) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::lock_guard l(pool.m);
    if (pool.q.empty() && pool.idle == 2) break;
  }
  const char* n[] = {"serve", "on_pool", "only", "unstarted"};
  for (size_t i = 0; i < v.size(); i++) alive(v[i].h, n[i % 4]);
  for (size_t i = 0; i < w.size(); i++) alive(w[i].h, i % 2 ? "ended" : "retry");
  for (auto h : never.w) alive(h, "waiter");
  finish();
}
