// Programs that know where their time goes: one for each argument, recorded by await_test.py.
//
// Each prints lines of what must be in the trace, of times that it measures itself:
//
//   least running|waiting NS STACK     at least so long in this stack; waiting: suspended or ready
//   most running NS                    all stacks together
//   most waiting NS STACK
//
// STACK has functions and, behind a colon, the letter of the line of the await ("serve:a;leaf").
// The bounds hold whatever the machine does in between: what a coroutine measures between two
// awaits is within the interval of the trace, and what is measured around a resumption is around
// it.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <coroutine>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "examples/task.h"

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

uint64_t now() {
  return static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch())
          .count());
}

// ---- what is measured ----

std::mutex mutex;
std::map<std::string, uint64_t> ran, waited_least, waited_most;
uint64_t resumed_for = 0;

void add(std::map<std::string, uint64_t>& to, const std::string& stack, uint64_t ns) {
  const std::lock_guard lock(mutex);
  to[stack] += ns;
}

void burn(const char* stack, int ms) {
  const uint64_t begin = now();
  while (now() - begin < static_cast<uint64_t>(ms) * 1'000'000) continue;
  add(ran, stack, now() - begin);
}

// ---- threads and timers ----

class Pool {
 public:
  explicit Pool(size_t threads) {
    for (size_t i = 0; i < threads; i++) threads_.emplace_back([this] { run(); });
  }
  ~Pool() {
    {
      const std::lock_guard lock(mutex_);
      is_over_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  void post(std::coroutine_handle<> handle, Clock::time_point at = {},
            std::thread::id not_on = {}) {
    {
      const std::lock_guard lock(mutex_);
      waiting_.push_back({handle, at, not_on});
    }
    changed_.notify_all();
  }

 private:
  struct Waiting {
    std::coroutine_handle<> handle;
    Clock::time_point at;
    std::thread::id not_on;
  };
  void run() {
    std::unique_lock lock(mutex_);
    while (!is_over_) {
      const auto is_due = [](const Waiting& one) {
        return one.at <= Clock::now() && one.not_on != std::this_thread::get_id();
      };
      const auto next = std::find_if(waiting_.begin(), waiting_.end(), is_due);
      if (next == waiting_.end()) {
        changed_.wait_for(lock, std::chrono::microseconds(200));
        continue;
      }
      const std::coroutine_handle<> handle = next->handle;
      waiting_.erase(next);
      lock.unlock();
      const uint64_t begin = now();
      handle.resume();
      {
        const std::lock_guard counts(mutex);
        resumed_for += now() - begin;
      }
      lock.lock();
    }
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Waiting> waiting_;
  bool is_over_ = false;
  std::vector<std::thread> threads_;
};
Pool* pool = nullptr;

// Goes on in another thread.
struct hop {
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> handle) const {
    pool->post(handle, {}, std::this_thread::get_id());
  }
  void await_resume() const noexcept {}
};

struct nap {
  int ms;
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> handle) const {
    pool->post(handle, Clock::now() + milliseconds(ms));
  }
  void await_resume() const noexcept {}
};

// A task that nothing awaits.
struct started {
  struct promise_type {
    started get_return_object() {
      return {std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  std::coroutine_handle<> handle;
};

std::atomic<int> open = 0;

#define WAIT(stack, ms_least, expression)                                  \
  do {                                                                     \
    const uint64_t begin = now();                                          \
    expression;                                                            \
    add(waited_most, stack, now() - begin);                                \
    add(waited_least, stack, static_cast<uint64_t>(ms_least) * 1'000'000); \
  } while (false)

// ---- threads: a chain that waits and runs in a pool ----

task<int> leaf() {
  burn("serve:a;parse:b;leaf", 8);
  WAIT("serve:a;parse:b;leaf:c", 12, co_await nap{12});  // c
  burn("serve:a;parse:b;leaf", 4);
  co_return 1;
}
task<int> parse() {
  burn("serve:a;parse", 6);
  co_return co_await leaf();  // b
}
started serve() {
  burn("serve", 5);
  co_await parse();  // a
  open--;
}

// ---- migration: one stack on several threads ----

task<int> wander() {
  for (int i = 0; i < 4; i++) {
    burn("travel:d;wander", 4);
    co_await hop{};
  }
  co_return 1;
}
started travel() {
  co_await wander();  // d
  open--;
}

// ---- when_all: two that run at the same time ----

// A when_all for several threads: the last part resumes the waiter.
struct Parts {
  std::atomic<size_t> left;
  std::coroutine_handle<> waiter = {};
};
struct until_all {
  Parts& parts;
  bool await_ready() const noexcept { return false; }
  bool await_suspend(std::coroutine_handle<> handle) const {
    parts.waiter = handle;
    return --parts.left != 0;
  }
  void await_resume() const noexcept {}
};
started member(task<int> one, Parts& parts) {
  co_await one;  // y
  if (--parts.left == 0) parts.waiter.resume();
}
task<int> all(std::vector<task<int>> tasks) {
  Parts parts{tasks.size() + 1};
  for (task<int>& one : tasks) member(std::move(one), parts).handle.resume();
  co_await until_all{parts};  // x
  co_return 1;
}

task<int> part() {
  co_await hop{};
  burn("gather:e;all:x;member:y;part", 10);
  WAIT("gather:e;all:x;member:y;part:f", 10, co_await nap{10});  // f
  co_return 1;
}
started gather() {
  std::vector<task<int>> parts;
  for (int i = 0; i < 3; i++) parts.push_back(part());
  co_await all(std::move(parts));  // e
  open--;
}

// ---- transfer: each awaits the next, without the event loop in between ----

task<int> third() {
  burn("first:g;second:h;third", 5);
  co_return 1;
}
task<int> second() {
  burn("first:g;second", 5);
  co_await third();  // h
  burn("first:g;second", 5);
  co_return 1;
}
started first() {
  for (int i = 0; i < 3; i++) {
    co_await second();  // g
    burn("first", 2);
  }
  open--;
}

// ---- detached: a task that none awaits, while its creator waits for something else ----

started background() {
  co_await hop{};
  burn("background", 15);
  WAIT("background:k", 5, co_await nap{5});  // k
  open--;
}
task<int> foreground() {
  WAIT("spawn:l;foreground:m", 30, co_await nap{30});  // m
  co_return 1;
}
started spawn() {
  pool->post(background().handle);
  co_await foreground();  // l
  open--;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "";
  const std::map<std::string, started (*)()> cases = {{"threads", serve},
                                                      {"migration", travel},
                                                      {"when_all", gather},
                                                      {"transfer", first},
                                                      {"detached", spawn}};
  if (!cases.contains(name)) {
    std::fputs("usage: await_program threads|migration|when_all|transfer|detached\n", stderr);
    return 2;
  }
  {
    Pool threads(3);
    pool = &threads;
    open = name == "detached" ? 2 : 1;
    pool->post(cases.at(name)().handle);
    while (open > 0) std::this_thread::sleep_for(milliseconds(1));
  }
  for (const auto& [stack, ns] : ran)
    std::printf("least running %llu %s\n", static_cast<unsigned long long>(ns), stack.c_str());
  for (const auto& [stack, ns] : waited_least)
    std::printf("least waiting %llu %s\n", static_cast<unsigned long long>(ns), stack.c_str());
  for (const auto& [stack, ns] : waited_most)
    std::printf("most waiting %llu %s\n", static_cast<unsigned long long>(ns), stack.c_str());
  std::printf("most running %llu\n", static_cast<unsigned long long>(resumed_for));
}
