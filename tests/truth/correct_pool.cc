// Correct programs with a task type and a pool of threads of their own, without Asio.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <coroutine>
#include <cstdio>
#include <deque>
#include <exception>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "case.h"

using namespace std::chrono_literals;

namespace {

// Threads with one queue.
class Executor {
 public:
  explicit Executor(int threads) {
    for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
    timer_ = std::thread([this] { keep_time(); });
  }
  ~Executor() {
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
    }
    filled_.notify_all();
    armed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
    timer_.join();
  }
  void post(std::coroutine_handle<> job) {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(job);
    filled_.notify_one();
  }
  void post_after(std::chrono::milliseconds time, std::coroutine_handle<> job) {
    const std::lock_guard lock(mutex_);
    timers_.emplace(std::chrono::steady_clock::now() + time, job);
    armed_.notify_one();
  }
  auto schedule() {
    struct Awaiter {
      Executor& executor;
      bool await_ready() const noexcept { return false; }
      void await_suspend(std::coroutine_handle<> self) { executor.post(self); }
      void await_resume() const noexcept {}
    };
    return Awaiter{*this};
  }
  auto sleep(std::chrono::milliseconds time) {
    struct Awaiter {
      Executor& executor;
      std::chrono::milliseconds time;
      bool await_ready() const noexcept { return false; }
      void await_suspend(std::coroutine_handle<> self) { executor.post_after(time, self); }
      void await_resume() const noexcept {}
    };
    return Awaiter{*this, time};
  }

 private:
  void work() {
    for (std::unique_lock lock(mutex_);;) {
      filled_.wait(lock, [this] { return stopped_ || !jobs_.empty(); });
      if (jobs_.empty()) return;
      const auto job = jobs_.front();
      jobs_.pop_front();
      lock.unlock();
      job.resume();
      lock.lock();
    }
  }
  void keep_time() {
    for (std::unique_lock lock(mutex_); !stopped_;) {
      if (timers_.empty()) {
        armed_.wait(lock);
        continue;
      }
      const auto first = timers_.begin()->first;
      if (std::chrono::steady_clock::now() < first) {
        armed_.wait_until(lock, first);
        continue;
      }
      jobs_.push_back(timers_.begin()->second);
      timers_.erase(timers_.begin());
      filled_.notify_one();
    }
  }
  std::mutex mutex_;
  std::condition_variable filled_, armed_;
  std::deque<std::coroutine_handle<>> jobs_;
  std::multimap<std::chrono::steady_clock::time_point, std::coroutine_handle<>> timers_;
  bool stopped_ = false;
  std::vector<std::thread> threads_;
  std::thread timer_;
};

// An eager task that a thread or a coroutine may wait for.
template <class T>
class Async {
 public:
  struct State {
    std::mutex mutex;
    std::condition_variable done;
    std::optional<T> value;
    std::exception_ptr error;
    std::coroutine_handle<> waiter;
    bool over = false;
  };
  struct promise_type {
    std::shared_ptr<State> state = std::make_shared<State>();
    Async get_return_object() { return Async(state); }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_value(T value) {
      state->value = std::move(value);
      finish();
    }
    void unhandled_exception() {
      state->error = std::current_exception();
      finish();
    }
    void finish() {
      std::coroutine_handle<> waiter;
      {
        const std::lock_guard lock(state->mutex);
        state->over = true;
        waiter = state->waiter;
        state->done.notify_all();
      }
      if (waiter) waiter.resume();
    }
  };
  explicit Async(std::shared_ptr<State> state) : state_(std::move(state)) {}

  T get() {  // by a thread
    std::unique_lock lock(state_->mutex);
    state_->done.wait(lock, [this] { return state_->over; });
    return result();
  }
  auto operator co_await() {
    struct Awaiter {
      std::shared_ptr<State> state;
      bool await_ready() const noexcept { return false; }
      bool await_suspend(std::coroutine_handle<> self) {
        const std::lock_guard lock(state->mutex);
        if (state->over) return false;
        state->waiter = self;
        return true;
      }
      T await_resume() {
        if (state->error) std::rethrow_exception(state->error);
        return *state->value;
      }
    };
    return Awaiter{state_};
  }

 private:
  T result() {
    if (state_->error) std::rethrow_exception(state_->error);
    return *state_->value;
  }
  std::shared_ptr<State> state_;
};

double burn(std::chrono::microseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  double x = 1;
  while (std::chrono::steady_clock::now() < end) x = std::sqrt(x + 3);
  return x;
}

Async<int> square(Executor& executor, int x) {
  co_await executor.schedule();
  burn(200us);
  co_return x* x;
}

Async<int> sum_of_squares(Executor& executor, int count) {
  std::vector<Async<int>> parts;
  for (int i = 0; i < count; ++i) parts.push_back(square(executor, i));
  int sum = 0;
  for (auto& part : parts) sum += co_await part;
  co_return sum;
}

// Parallel parts that are joined.
TRUTH_CASE(sum_in_parallel) {
  Executor executor(3);
  std::printf("%d\n", sum_of_squares(executor, 40).get());
}

Async<int> chain_of_steps(Executor& executor) {
  int x = 2;
  for (int i = 0; i < 6; ++i) x = co_await square(executor, x % 100);
  co_return x;
}

// Steps that need each other's results.
TRUTH_CASE(steps_on_pool) {
  Executor executor(2);
  std::printf("%d\n", chain_of_steps(executor).get());
}

Async<int> nap(Executor& executor, int ms) {
  co_await executor.sleep(std::chrono::milliseconds(ms));
  co_return ms;
}

// Sleeping tasks and a thread that waits for all.
TRUTH_CASE(naps) {
  Executor executor(2);
  std::vector<Async<int>> naps;
  for (int i = 0; i < 20; ++i) naps.push_back(nap(executor, 5 * i));
  for (auto& one : naps) one.get();
}

// One long nap.
TRUTH_CASE(long_nap) {
  Executor executor(1);
  nap(executor, 1200).get();
}

// A task that ends on another thread than it began on.
Async<int> wander(Executor& a, Executor& b) {
  for (int i = 0; i < 10; ++i) {
    co_await a.schedule();
    burn(50us);
    co_await b.schedule();
  }
  co_return 0;
}

TRUTH_CASE(wanders_between_pools) {
  Executor a(2), b(2);
  std::vector<Async<int>> tasks;
  for (int i = 0; i < 10; ++i) tasks.push_back(wander(a, b));
  for (auto& task : tasks) task.get();
}

Async<int> may_fail(Executor& executor, int i) {
  co_await executor.schedule();
  if (i % 3 == 0) throw std::runtime_error("no such row");
  co_return i;
}

Async<int> count_failures(Executor& executor) {
  int failures = 0;
  for (int i = 0; i < 12; ++i) {
    try {
      co_await may_fail(executor, i);
    } catch (const std::runtime_error&) {
      ++failures;
    }
  }
  co_return failures;
}

// Failures that the caller handles.
TRUTH_CASE(handled_failures) {
  Executor executor(2);
  std::printf("%d failures\n", count_failures(executor).get());
}

// A failure that the thread handles which waits for it.
TRUTH_CASE(failure_read_by_main) {
  Executor executor(1);
  try {
    may_fail(executor, 0).get();
  } catch (const std::runtime_error& e) {
    std::puts(e.what());
  }
}

// Jobs that main() starts together and waits for; it tries those again that failed.
TRUTH_CASE(main_tries_again) {
  Executor executor(2);
  std::vector<Async<int>> jobs;
  for (int i = 0; i < 9; ++i) jobs.push_back(may_fail(executor, i));
  for (int i = 0; i < 9; ++i) {
    try {
      jobs[static_cast<std::size_t>(i)].get();
    } catch (const std::runtime_error&) {
      std::printf("%d\n", may_fail(executor, i + 1).get());
    }
  }
}

// Each task is forgotten; the pool runs them all.
TRUTH_CASE(forgotten_but_run) {
  Executor executor(2);
  for (int i = 0; i < 200; ++i) square(executor, i);
  std::this_thread::sleep_for(80ms);
}

// A computation of 250 ms on a pool with nothing else to do.
Async<int> crunch(Executor& executor) {
  co_await executor.schedule();
  burn(250ms);
  co_return 1;
}

TRUTH_CASE(crunches_alone) {
  Executor executor(1);
  crunch(executor).get();
}

// Long computations on one thread each.
TRUTH_CASE(crunches_in_parallel) {
  Executor executor(2);
  auto a = crunch(executor), b = crunch(executor);
  a.get();
  b.get();
}

// A recursive division of work.
Async<long> count(Executor& executor, long from, long to) {
  co_await executor.schedule();
  if (to - from < 1000) {
    long primes = 0;
    for (long n = std::max(2L, from); n < to; ++n) {
      bool prime = true;
      for (long d = 2; d * d <= n && prime; ++d) prime = n % d != 0;
      primes += prime;
    }
    co_return primes;
  }
  auto left = count(executor, from, (from + to) / 2), right = count(executor, (from + to) / 2, to);
  const long primes = co_await left;
  co_return primes + co_await right;
}

TRUTH_CASE(counts_primes) {
  Executor executor(3);
  std::printf("%ld\n", count(executor, 0, 20'000).get());
}

// An event that tasks on any thread wait for, and that stays set.
class Event {
 public:
  explicit Event(Executor& executor) : executor_(executor) {}
  auto wait() {
    struct Awaiter {
      Event& event;
      bool await_ready() const noexcept { return false; }
      bool await_suspend(std::coroutine_handle<> self) {
        const std::lock_guard lock(event.mutex_);
        if (event.set_) return false;
        event.waiters_.push_back(self);
        return true;
      }
      void await_resume() const noexcept {}
    };
    return Awaiter{*this};
  }
  void set() {
    const std::lock_guard lock(mutex_);
    set_ = true;
    for (const auto waiter : std::exchange(waiters_, {})) executor_.post(waiter);
  }

 private:
  Executor& executor_;
  std::mutex mutex_;
  std::vector<std::coroutine_handle<>> waiters_;
  bool set_ = false;
};

Async<int> wait_for(Executor& executor, Event& event) {
  co_await executor.schedule();
  co_await event.wait();
  co_return 1;
}

// Tasks before and after an event.
TRUTH_CASE(event_on_pool) {
  Executor executor(2);
  Event event(executor);
  std::vector<Async<int>> early, late;
  for (int i = 0; i < 5; ++i) early.push_back(wait_for(executor, event));
  std::this_thread::sleep_for(20ms);
  event.set();
  for (int i = 0; i < 5; ++i) late.push_back(wait_for(executor, event));
  for (auto* all : {&early, &late})
    for (auto& one : *all) one.get();
}

// main() sets an event after a while; its tasks wait for longer than a lint's threshold.
TRUTH_CASE(event_set_late) {
  Executor executor(1);
  Event event(executor);
  auto waits = wait_for(executor, event);
  std::this_thread::sleep_for(1100ms);
  event.set();
  waits.get();
}

// A mutex for tasks.
class Mutex {
 public:
  explicit Mutex(Executor& executor) : executor_(executor) {}
  auto lock() {
    struct Awaiter {
      Mutex& mutex;
      bool await_ready() const noexcept { return false; }
      bool await_suspend(std::coroutine_handle<> self) {
        const std::lock_guard lock(mutex.own_);
        if (!std::exchange(mutex.locked_, true)) return false;
        mutex.waiters_.push_back(self);
        return true;
      }
      void await_resume() const noexcept {}
    };
    return Awaiter{*this};
  }
  void unlock() {
    const std::lock_guard lock(own_);
    if (waiters_.empty()) {
      locked_ = false;
      return;
    }
    executor_.post(waiters_.front());
    waiters_.pop_front();
  }

 private:
  Executor& executor_;
  std::mutex own_;
  std::deque<std::coroutine_handle<>> waiters_;
  bool locked_ = false;
};

Async<int> deposit(Executor& executor, Mutex& mutex, int& balance) {
  for (int i = 0; i < 20; ++i) {
    co_await executor.schedule();
    co_await mutex.lock();
    balance += 1;
    mutex.unlock();
  }
  co_return balance;
}

TRUTH_CASE(task_mutex) {
  Executor executor(3);
  Mutex mutex(executor);
  int balance = 0;
  std::vector<Async<int>> tasks;
  for (int i = 0; i < 6; ++i) tasks.push_back(deposit(executor, mutex, balance));
  for (auto& task : tasks) task.get();
}

Async<int> hold_while_sleeping(Executor& executor, Mutex& mutex) {
  co_await mutex.lock();
  co_await executor.sleep(5ms);
  mutex.unlock();
  co_return 1;
}

// A mutex that is held across a sleep.
TRUTH_CASE(mutex_across_sleep) {
  Executor executor(2);
  Mutex mutex(executor);
  std::vector<Async<int>> tasks;
  for (int i = 0; i < 8; ++i) tasks.push_back(hold_while_sleeping(executor, mutex));
  for (auto& task : tasks) task.get();
}

// A bounded queue between tasks.
template <class T>
class Queue {
 public:
  Queue(Executor& executor, std::size_t room) : items_(executor), room_(executor), left_(room) {}
  Async<int> push(T value) {
    while (!try_push(value)) co_await room_.wait([this] { return left_ > 0; });
    co_return 1;
  }
  Async<std::optional<T>> pop() {
    std::optional<T> value;
    while (!try_pop(value)) co_await items_.wait([this] { return count_ > 0 || closed_; });
    co_return value;
  }
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    items_.notify();
  }

 private:
  // Wakes all; a waiter checks the condition under its lock before it is queued.
  class Gate {
   public:
    explicit Gate(Executor& executor) : executor_(executor) {}
    template <class Check>
    auto wait(Check check) {
      struct Awaiter {
        Gate& gate;
        Check check;
        bool await_ready() const noexcept { return false; }
        bool await_suspend(std::coroutine_handle<> self) {
          const std::lock_guard lock(gate.mutex_);
          gate.waiters_.push_back(self);
          if (!check()) return true;
          gate.waiters_.pop_back();
          return false;
        }
        void await_resume() const noexcept {}
      };
      return Awaiter{*this, std::move(check)};
    }
    void notify() {
      const std::lock_guard lock(mutex_);
      for (const auto waiter : std::exchange(waiters_, {})) executor_.post(waiter);
    }

   private:
    Executor& executor_;
    std::mutex mutex_;
    std::vector<std::coroutine_handle<>> waiters_;
  };
  bool try_push(T& value) {
    const std::lock_guard lock(mutex_);
    if (left_ == 0) return false;
    --left_;
    ++count_;
    values_.push_back(std::move(value));
    items_.notify();
    return true;
  }
  bool try_pop(std::optional<T>& value) {  // empty if it is closed
    const std::lock_guard lock(mutex_);
    if (values_.empty()) return closed_;
    value = std::move(values_.front());
    values_.pop_front();
    ++left_;
    --count_;
    room_.notify();
    return true;
  }

  std::mutex mutex_;
  Gate items_, room_;
  std::deque<T> values_;
  std::atomic<std::size_t> left_, count_ = 0;
  std::atomic<bool> closed_ = false;
};

Async<int> consume(Executor& executor, Queue<int>& queue) {
  co_await executor.schedule();
  int sum = 0;
  while (const auto value = co_await queue.pop()) sum += *value;
  co_return sum;
}

Async<int> produce(Executor& executor, Queue<int>& queue, int count) {
  co_await executor.schedule();
  for (int i = 0; i < count; ++i) co_await queue.push(i);
  queue.close();
  co_return count;
}

TRUTH_CASE(queue_on_one_thread) {
  Executor executor(1);
  Queue<int> queue(executor, 4);
  auto consumer = consume(executor, queue), producer = produce(executor, queue, 60);
  producer.get();
  std::printf("%d\n", consumer.get());
}

// A producer in main(), and a consumer that is mostly idle.
Async<int> consume_slowly(Executor& executor, Queue<int>& queue) {
  co_await executor.schedule();
  while (const auto value = co_await queue.pop()) co_await executor.sleep(1ms);
  co_return 0;
}

TRUTH_CASE(idle_consumer) {
  Executor executor(1);
  Queue<int> queue(executor, 100);
  auto consumer = consume_slowly(executor, queue);
  for (int i = 0; i < 10; ++i) {
    queue.push(i);
    std::this_thread::sleep_for(15ms);
  }
  queue.close();
  consumer.get();
}

// A timeout for a slow answer: the answer comes later, and is ignored.
Async<int> slow_answer(Executor& executor) {
  co_await executor.sleep(60ms);
  co_return 42;
}

Async<int> first_of(Executor& executor, std::shared_ptr<Event> any, int ms) {
  co_await executor.sleep(std::chrono::milliseconds(ms));
  any->set();
  co_return ms;
}

TRUTH_CASE(answer_after_timeout) {
  Executor executor(2);
  auto late = slow_answer(executor);
  auto any = std::make_shared<Event>(executor);
  auto timeout = first_of(executor, any, 20);
  wait_for(executor, *any).get();
  timeout.get();
  late.get();
}

// Retries on a pool.
Async<int> retry(Executor& executor, int attempts) {
  for (int i = 1;; ++i) {
    bool failed = false;
    try {
      co_return co_await may_fail(executor, i == attempts ? 1 : 3);
    } catch (const std::runtime_error&) {
      failed = true;
    }
    if (failed) co_await executor.sleep(std::chrono::milliseconds(i));
  }
}

TRUTH_CASE(retries_on_pool) {
  Executor executor(2);
  auto a = retry(executor, 3), b = retry(executor, 5);
  a.get();
  b.get();
}

// A pipeline of queues.
Async<int> stage(Executor& executor, Queue<int>& in, Queue<int>& out) {
  co_await executor.schedule();
  while (const auto value = co_await in.pop()) co_await out.push(*value + 1);
  out.close();
  co_return 0;
}

TRUTH_CASE(pipeline_on_pool) {
  Executor executor(1);
  Queue<int> a(executor, 3), b(executor, 3), c(executor, 3);
  auto one = stage(executor, a, b), two = stage(executor, b, c);
  auto last = consume(executor, c);
  produce(executor, a, 40).get();
  one.get();
  two.get();
  last.get();
}

// Futures of the standard library.
TRUTH_CASE(standard_futures) {
  Executor executor(2);
  std::vector<std::promise<int>> promises(10);
  for (int i = 0; i < 10; ++i)
    [](Executor& on, std::promise<int>& promise, int ms) -> Async<int> {
      co_await on.sleep(std::chrono::milliseconds(ms));
      promise.set_value(ms);
      co_return ms;
    }(executor, promises[static_cast<std::size_t>(i)], 4 * i);
  int sum = 0;
  for (auto& promise : promises) sum += promise.get_future().get();
  std::printf("%d\n", sum);
}

// Yields to the other tasks of the pool.
Async<int> polite(Executor& executor) {
  for (int i = 0; i < 30; ++i) {
    burn(300us);
    co_await executor.schedule();
  }
  co_return 0;
}

TRUTH_CASE(polite_tasks) {
  Executor executor(1);
  std::vector<Async<int>> tasks;
  for (int i = 0; i < 4; ++i) tasks.push_back(polite(executor));
  for (auto& task : tasks) task.get();
}

// Pools that are made and destroyed.
TRUTH_CASE(short_lived_pools) {
  for (int i = 0; i < 10; ++i) {
    Executor executor(2);
    square(executor, i).get();
  }
}

// A parallel loop over blocks of an array.
TRUTH_CASE(parallel_for) {
  Executor executor(3);
  std::vector<double> values(60'000, 1.5);
  std::vector<Async<int>> blocks;
  for (std::size_t at = 0; at < values.size(); at += 5000)
    blocks.push_back([](Executor& on, double* first) -> Async<int> {
      co_await on.schedule();
      for (int i = 0; i < 5000; ++i) first[i] = std::sqrt(first[i]);
      co_return 5000;
    }(executor, &values[at]));
  for (auto& block : blocks) block.get();
}

// A cache of results that are computed once; later callers find them ready.
TRUTH_CASE(memoized) {
  Executor executor(2);
  std::map<int, Async<int>> results;
  int sum = 0;
  for (int i = 0; i < 60; ++i) {
    auto at = results.find(i % 7);
    if (at == results.end()) at = results.emplace(i % 7, square(executor, i % 7)).first;
    sum += at->second.get();
  }
  std::printf("%d\n", sum);
}

// A periodic flush until a flag is set.
Async<int> flush_periodically(Executor& executor, const std::atomic<bool>& stop) {
  int flushes = 0;
  while (!stop) {
    co_await executor.sleep(5ms);
    ++flushes;
  }
  co_return flushes;
}

TRUTH_CASE(periodic_flush) {
  Executor executor(1);
  std::atomic<bool> stop = false;
  auto flush = flush_periodically(executor, stop);
  std::this_thread::sleep_for(150ms);
  stop = true;
  flush.get();
}

// A work list with results in order.
TRUTH_CASE(results_in_order) {
  Executor executor(3);
  std::deque<Async<int>> window;
  long sum = 0;
  for (int i = 0; i < 50; ++i) {
    window.push_back(nap(executor, i % 6));
    if (window.size() < 8) continue;
    sum += window.front().get();
    window.pop_front();
  }
  for (auto& one : window) sum += one.get();
  std::printf("%ld\n", sum);
}

// A thread that blocks in read() of a pipe, and tasks that go on.
TRUTH_CASE(blocking_read_in_thread) {
  Executor executor(2);
  std::mutex line;
  line.lock();  // what main() will give
  auto tasks = std::array{nap(executor, 30), nap(executor, 60), nap(executor, 90)};
  std::thread reader([&] {
    while (!line.try_lock()) std::this_thread::sleep_for(2ms);
    line.unlock();
  });
  for (auto& task : tasks) task.get();
  line.unlock();
  reader.join();
}

}  // namespace
