// Locks of a namespace coro that is not libcoro's, with the names of its types: each wait has a time
// limit, after which the coroutine gives back what it holds and tries again.
#include <chrono>
#include <coroutine>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <list>
#include <map>
#include <thread>
#include <utility>

namespace coro {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

std::deque<std::coroutine_handle<>> ready;
struct Timer {
  void (*expired)(void*);
  void* of;
};
std::multimap<Clock::time_point, Timer> timers;

void run() {
  for (;;) {
    while (!ready.empty()) {
      const auto next = ready.front();
      ready.pop_front();
      next.resume();
    }
    const auto first = timers.begin();
    std::this_thread::sleep_until(first->first);
    const Timer timer = first->second;
    timers.erase(first);
    timer.expired(timer.of);
  }
}

struct Sleep {
  Clock::duration length;
  std::coroutine_handle<> sleeper = {};
  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<> handle) {
    sleeper = handle;
    timers.emplace(Clock::now() + length,
                   Timer{[](void* of) { ready.push_back(static_cast<Sleep*>(of)->sleeper); }, this});
  }
  void await_resume() {}
};

class mutex;

class scoped_lock {
 public:
  explicit scoped_lock(mutex* of) : m_mutex(of) {}
  scoped_lock(scoped_lock&& other) noexcept : m_mutex(std::exchange(other.m_mutex, nullptr)) {}
  ~scoped_lock();
  explicit operator bool() const { return m_mutex != nullptr; }

 private:
  mutex* m_mutex;
};

namespace detail {
struct lock_operation_base {
  std::coroutine_handle<> m_awaiting_coroutine = {};
  mutex& m_mutex;
  Clock::duration limit;
  bool has_it = false;
  lock_operation_base(mutex& of, Clock::duration most) : m_mutex(of), limit(most) {}
  bool await_ready();
  void await_suspend(std::coroutine_handle<> handle);
};
template <class Guard>
struct lock_operation : lock_operation_base {
  using lock_operation_base::lock_operation_base;
  Guard await_resume() { return Guard(has_it ? &m_mutex : nullptr); }
};
}  // namespace detail

class mutex {
 public:
  void* m_state = nullptr;
  bool is_locked = false;
  std::list<detail::lock_operation_base*> waiters;
  detail::lock_operation<coro::scoped_lock> scoped_lock(Clock::duration limit) {
    return {*this, limit};
  }
  void unlock() {
    is_locked = !waiters.empty();
    if (!is_locked) return;
    detail::lock_operation_base* const next = waiters.front();
    waiters.pop_front();
    std::erase_if(timers, [&](const auto& one) { return one.second.of == next; });
    next->has_it = true;
    ready.push_back(next->m_awaiting_coroutine);
  }
};

scoped_lock::~scoped_lock() {
  if (m_mutex) m_mutex->unlock();
}

bool detail::lock_operation_base::await_ready() {
  has_it = !std::exchange(m_mutex.is_locked, true);
  return has_it;
}

void detail::lock_operation_base::await_suspend(std::coroutine_handle<> handle) {
  m_awaiting_coroutine = handle;
  m_mutex.waiters.push_back(this);
  const auto give_up = [](void* of) {
    auto* const one = static_cast<lock_operation_base*>(of);
    one->m_mutex.waiters.remove(one);
    ready.push_back(one->m_awaiting_coroutine);
  };
  timers.emplace(Clock::now() + limit, Timer{give_up, this});
}

struct Task {
  struct promise_type {
    Task get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::abort(); }
  };
};

}  // namespace coro

coro::mutex accounts, journal;

coro::Task transfer(coro::mutex& first, coro::mutex& second, coro::Clock::duration limit) {
  using namespace std::chrono_literals;
  for (;;) {
    {
      const auto one = co_await first.scoped_lock(10s);
      if (!one) continue;
      co_await coro::Sleep{5ms};
      const auto other = co_await second.scoped_lock(limit);
    }
    co_await coro::Sleep{3ms};
  }
}

int main() {
  using namespace std::chrono_literals;
  transfer(accounts, journal, 300ms);
  transfer(journal, accounts, 230ms);
  std::printf("READY\n");
  std::fflush(stdout);
  coro::run();
}
