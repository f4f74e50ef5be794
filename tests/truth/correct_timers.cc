// Correct programs as Asio coroutines, with timers, conditions and cancellation.
#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <optional>
#include <random>
#include <stdexcept>

#include "net.h"

namespace {

using Error = boost::system::system_error;

awaitable<void> ticks(int count, std::chrono::milliseconds period) {
  steady_timer timer(co_await asio::this_coro::executor);
  for (int i = 0; i < count; ++i) {
    timer.expires_after(period);
    co_await timer.async_wait(use_awaitable);
  }
}

// Periodic timers.
TRUTH_CASE(periodic_timers) {
  asio::io_context io;
  for (int i = 1; i <= 5; ++i) co_spawn(io, ticks(20, std::chrono::milliseconds(i)), detached);
  serve(io);
}

awaitable<void> drift_free(int count) {
  steady_timer timer(co_await asio::this_coro::executor, std::chrono::steady_clock::now());
  for (int i = 0; i < count; ++i) {
    timer.expires_at(timer.expiry() + 3ms);
    co_await timer.async_wait(use_awaitable);
  }
}

// A timer whose expiry advances by a constant.
TRUTH_CASE(drift_free_timer) {
  asio::io_context io;
  co_spawn(io, drift_free(40), detached);
  serve(io);
}

// A sleep that is longer than the lints' thresholds.
TRUTH_CASE(long_sleep) {
  asio::io_context io;
  co_spawn(io, pause(1300ms), detached);
  serve(io);
}

// A daily job of a program that is stopped after a moment.
TRUTH_CASE(daily_job) {
  asio::io_context io;
  co_spawn(
      io,
      []() -> awaitable<void> {
        for (;;) co_await pause(std::chrono::hours(24));
      },
      detached);
  co_spawn(io, ticks(20, 5ms), [&](std::exception_ptr) { io.stop(); });
  serve(io);
}

// A flag with a timer as its condition; waiters check the flag first.
class Flag {
 public:
  explicit Flag(asio::any_io_executor executor)
      : changed_(executor, steady_timer::time_point::max()) {}
  awaitable<void> wait() {
    while (!set_) {
      error_code error;
      co_await changed_.async_wait(asio::redirect_error(use_awaitable, error));
    }
  }
  void set() {
    set_ = true;
    changed_.cancel();
  }

 private:
  steady_timer changed_;
  bool set_ = false;
};

awaitable<void> start_late(Flag& ready, int ms) {
  co_await pause(std::chrono::milliseconds(ms));
  co_await ready.wait();
}

awaitable<void> set_later(Flag& flag, int ms) {
  co_await pause(std::chrono::milliseconds(ms));
  flag.set();
}

// A flag that is set before some tasks look at it.
TRUTH_CASE(flag_set_early) {
  asio::io_context io;
  Flag ready(io.get_executor());
  for (int i = 0; i < 6; ++i) co_spawn(io, start_late(ready, 5 * i), detached);
  co_spawn(io, set_later(ready, 12), detached);
  serve(io);
}

// A flag that is set while no task waits for it.
TRUTH_CASE(flag_without_waiters) {
  asio::io_context io;
  Flag ready(io.get_executor());
  co_spawn(io, set_later(ready, 5), detached);
  co_spawn(io, ticks(20, 5ms), detached);
  serve(io);
}

template <class T>
class Mailbox {
 public:
  explicit Mailbox(asio::any_io_executor executor)
      : filled_(executor, steady_timer::time_point::max()) {}
  void put(T value) {
    values_.push_back(std::move(value));
    filled_.cancel_one();
  }
  void close() {
    closed_ = true;
    filled_.cancel();
  }
  awaitable<std::optional<T>> take() {
    while (values_.empty() && !closed_) {
      error_code error;
      co_await filled_.async_wait(asio::redirect_error(use_awaitable, error));
    }
    if (values_.empty()) co_return std::nullopt;
    T value = std::move(values_.front());
    values_.pop_front();
    co_return value;
  }

 private:
  steady_timer filled_;
  std::deque<T> values_;
  bool closed_ = false;
};

awaitable<void> consume(Mailbox<int>& box, int& total) {
  while (const auto value = co_await box.take()) {
    total += *value;
    if (*value % 7 == 0) co_await pause(1ms);
  }
}

awaitable<void> produce(Mailbox<int>& box, int count) {
  for (int i = 0; i < count; ++i) {
    box.put(i);
    if (i % 5 == 0) co_await pause(1ms);
  }
  box.close();
}

// A mailbox, whose consumer is often busy when a message comes.
TRUTH_CASE(mailbox) {
  asio::io_context io;
  Mailbox<int> box(io.get_executor());
  int total = 0;
  co_spawn(io, consume(box, total), detached);
  co_spawn(io, produce(box, 100), detached);
  serve(io);
}

// Three workers at one mailbox.
TRUTH_CASE(mailbox_with_workers) {
  asio::io_context io;
  Mailbox<int> box(io.get_executor());
  int total = 0;
  for (int i = 0; i < 3; ++i) co_spawn(io, consume(box, total), detached);
  co_spawn(io, produce(box, 150), detached);
  serve(io);
}

awaitable<void> print_jobs(Mailbox<int>& jobs, Mailbox<int>& paper) {
  for (;;) {
    const auto job = co_await jobs.take();
    const auto sheet = co_await paper.take();
    if (!job || !sheet) co_return;
  }
}

// Printers that have a job and wait for paper, in a server that accepts more jobs.
TRUTH_CASE(printers_without_paper) {
  asio::io_context io;
  Mailbox<int> jobs(io.get_executor());
  std::array<Mailbox<int>, 2> paper{Mailbox<int>(io.get_executor()),
                                    Mailbox<int>(io.get_executor())};
  for (Mailbox<int>& tray : paper) co_spawn(io, print_jobs(jobs, tray), detached);
  co_spawn(
      io,
      [&]() -> awaitable<void> {
        for (Mailbox<int>& tray : paper) tray.put(1);
        for (int job = 0; job < 4; ++job) jobs.put(job);
        co_return;
      },
      detached);
  tcp::acceptor acceptor(io, {asio::ip::address_v4::loopback(), 0});
  co_spawn(
      io,
      [&]() -> awaitable<void> {
        for (int job = 4;; ++job) {
          co_await acceptor.async_accept(use_awaitable);
          jobs.put(job);
        }
      },
      detached);
  steady_timer operator_stops(io, 400ms);
  operator_stops.async_wait([&](error_code) { io.stop(); });
  serve(io);
}

// Workers without work, until the program is stopped.
TRUTH_CASE(workers_without_work) {
  asio::io_context io;
  Mailbox<int> box(io.get_executor());
  int total = 0;
  for (int i = 0; i < 4; ++i) co_spawn(io, consume(box, total), detached);
  co_spawn(io, ticks(40, 5ms), [&](std::exception_ptr) { io.stop(); });
  serve(io);
}

class Async_mutex {
 public:
  explicit Async_mutex(asio::any_io_executor executor)
      : freed_(executor, steady_timer::time_point::max()) {}
  awaitable<void> lock() {
    while (locked_) {
      error_code error;
      co_await freed_.async_wait(asio::redirect_error(use_awaitable, error));
    }
    locked_ = true;
  }
  void unlock() {
    locked_ = false;
    freed_.cancel_one();
  }

 private:
  steady_timer freed_;
  bool locked_ = false;
};

awaitable<void> lock_often(Async_mutex& mutex, int& counter) {
  for (int i = 0; i < 6; ++i) {
    co_await mutex.lock();
    const int seen = counter;
    co_await pause(1ms);
    counter = seen + 1;
    mutex.unlock();
  }
}

// A mutex of the program's own.
TRUTH_CASE(async_mutex) {
  asio::io_context io;
  Async_mutex mutex(io.get_executor());
  int counter = 0;
  for (int i = 0; i < 4; ++i) co_spawn(io, lock_often(mutex, counter), detached);
  serve(io);
}

class Permits {
 public:
  Permits(asio::any_io_executor executor, int count)
      : freed_(executor, steady_timer::time_point::max()), left_(count) {}
  awaitable<void> acquire() {
    while (left_ == 0) {
      error_code error;
      co_await freed_.async_wait(asio::redirect_error(use_awaitable, error));
    }
    --left_;
  }
  void release() {
    ++left_;
    freed_.cancel_one();
  }

 private:
  steady_timer freed_;
  int left_;
};

awaitable<void> download(Permits& permits, int i) {
  co_await permits.acquire();
  co_await pause(std::chrono::milliseconds(1 + i % 4));
  permits.release();
}

// At most four downloads at once.
TRUTH_CASE(limited_downloads) {
  asio::io_context io;
  Permits permits(io.get_executor(), 4);
  for (int i = 0; i < 30; ++i) co_spawn(io, download(permits, i), detached);
  serve(io);
}

awaitable<int> flaky(int number) {
  co_await pause(1ms);
  if (number < 3) throw std::runtime_error("busy");
  co_return number;
}

awaitable<int> with_retries() {
  std::mt19937 random(7);
  for (int i = 0;; ++i) {
    std::exception_ptr error;
    try {
      co_return co_await flaky(i);
    } catch (const std::runtime_error&) {
      error = std::current_exception();
    }
    if (i == 5) std::rethrow_exception(error);
    co_await pause(std::chrono::milliseconds((1 << i) + static_cast<int>(random() % 3)));
  }
}

// Retries with backoff and jitter.
TRUTH_CASE(backoff_with_jitter) {
  asio::io_context io;
  for (int i = 0; i < 4; ++i) co_spawn(io, with_retries(), [](std::exception_ptr, int) {});
  serve(io);
}

// A failure that the handler of co_spawn reports.
TRUTH_CASE(reported_failure) {
  asio::io_context io;
  co_spawn(
      io,
      []() -> awaitable<void> {
        try {
          co_await flaky(0);
        } catch (const std::runtime_error& e) {
          std::fprintf(stderr, "%s\n", e.what());
        }
      },
      detached);
  serve(io);
}

awaitable<bool> with_timeout(asio::any_io_executor executor, std::chrono::milliseconds work,
                             std::chrono::milliseconds limit) {
  auto timer = std::make_shared<steady_timer>(executor, work);
  auto deadline = std::make_shared<steady_timer>(executor, limit);
  deadline->async_wait([timer](error_code error) {
    if (!error) timer->cancel();
  });
  error_code error;
  co_await timer->async_wait(asio::redirect_error(use_awaitable, error));
  deadline->cancel();
  co_return !error;
}

// Operations with a timeout, of which some expire.
TRUTH_CASE(timeouts) {
  asio::io_context io;
  for (int i = 0; i < 10; ++i)
    co_spawn(io, with_timeout(io.get_executor(), std::chrono::milliseconds(5 * i), 25ms),
             [](std::exception_ptr, bool) {});
  serve(io);
}

class Watchdog {
 public:
  explicit Watchdog(asio::any_io_executor executor) : timer_(executor) { feed(); }
  void feed() { timer_.expires_after(50ms); }
  void stop() {
    stopped_ = true;
    timer_.cancel();
  }
  awaitable<void> watch() {
    while (!stopped_) {
      error_code error;
      co_await timer_.async_wait(asio::redirect_error(use_awaitable, error));
      if (!error) std::puts("late");
    }
  }

 private:
  steady_timer timer_;
  bool stopped_ = false;
};

// A watchdog that is fed by the task it watches, and stopped at the end.
TRUTH_CASE(watchdog) {
  asio::io_context io;
  Watchdog watchdog(io.get_executor());
  co_spawn(io, watchdog.watch(), detached);
  co_spawn(
      io,
      [&]() -> awaitable<void> {
        for (int i = 0; i < 20; ++i) {
          co_await pause(5ms);
          watchdog.feed();
        }
        watchdog.stop();
      },
      detached);
  serve(io);
}

class Token_bucket {
 public:
  explicit Token_bucket(asio::any_io_executor executor)
      : timer_(executor), next_(std::chrono::steady_clock::now()) {}
  awaitable<void> take() {
    const auto mine = next_;
    next_ += 2ms;
    steady_timer timer(timer_.get_executor(), mine);
    co_await timer.async_wait(use_awaitable);
  }

 private:
  steady_timer timer_;
  std::chrono::steady_clock::time_point next_;
};

// A rate limiter.
TRUTH_CASE(asio_rate_limiter) {
  asio::io_context io;
  Token_bucket bucket(io.get_executor());
  for (int i = 0; i < 40; ++i) co_spawn(io, bucket.take(), detached);
  serve(io);
}

// Waits for several tasks at once.
awaitable<void> when_all(asio::any_io_executor executor, int count) {
  steady_timer all(executor, steady_timer::time_point::max());
  int left = count;
  for (int i = 0; i < count; ++i)
    co_spawn(executor, pause(std::chrono::milliseconds(3 + i)), [&](std::exception_ptr) {
      if (--left == 0) all.cancel();
    });
  error_code error;
  if (left > 0) co_await all.async_wait(asio::redirect_error(use_awaitable, error));
}

// Fork and join, twice.
TRUTH_CASE(fork_and_join) {
  asio::io_context io;
  co_spawn(
      io,
      [&]() -> awaitable<void> {
        co_await when_all(io.get_executor(), 8);
        co_await when_all(io.get_executor(), 12);
      },
      detached);
  serve(io);
}

// Sequential steps of which each needs the result of the one before.
awaitable<int> next_page(int cursor) {
  co_await pause(2ms);
  co_return cursor * 31 % 1009;
}

// Pages of a result, of which each has the position of the next.
TRUTH_CASE(pagination) {
  asio::io_context io;
  co_spawn(
      io,
      []() -> awaitable<void> {
        for (int cursor = 1, pages = 0; pages < 15; ++pages) cursor = co_await next_page(cursor);
      },
      detached);
  serve(io);
}

// Polls at a moderate rate until something is ready.
TRUTH_CASE(moderate_polling) {
  asio::io_context io;
  bool ready = false;
  co_spawn(
      io,
      [&]() -> awaitable<void> {
        while (!ready) co_await pause(5ms);
      },
      detached);
  co_spawn(
      io,
      [&]() -> awaitable<void> {
        co_await pause(100ms);
        ready = true;
      },
      detached);
  serve(io);
}

// Yields between slices of a computation.
TRUTH_CASE(yields_in_computation) {
  asio::io_context io;
  co_spawn(
      io,
      []() -> awaitable<void> {
        volatile double x = 1;
        for (int i = 0; i < 200; ++i) {
          for (int k = 0; k < 30'000; ++k) x = x * 1.000001 + k;
          co_await asio::post(use_awaitable);
        }
      },
      detached);
  co_spawn(io, ticks(20, 3ms), detached);
  serve(io);
}

// A computation of 300 ms in a program that does nothing else.
TRUTH_CASE(computes_alone) {
  asio::io_context io;
  co_spawn(
      io,
      []() -> awaitable<void> {
        co_await pause(1ms);
        const auto end = std::chrono::steady_clock::now() + 300ms;
        while (std::chrono::steady_clock::now() < end) {
        }
        co_await pause(1ms);
      },
      detached);
  serve(io);
}

// A tool that sleeps in the thread, because it has nothing else to do.
TRUTH_CASE(blocks_alone) {
  asio::io_context io;
  co_spawn(
      io,
      []() -> awaitable<void> {
        for (int i = 0; i < 2; ++i) {
          std::this_thread::sleep_for(150ms);
          co_await pause(1ms);
        }
      },
      detached);
  serve(io);
}

// A cache whose entries a single task cleans up.
class Cache {
 public:
  explicit Cache(asio::any_io_executor executor) : cleanup_(executor) {}
  void put(int key) { entries_[key] = std::chrono::steady_clock::now() + 10ms; }
  void stop() {
    stopped_ = true;
    cleanup_.cancel();
  }
  awaitable<void> clean() {
    while (!stopped_) {
      cleanup_.expires_after(4ms);
      error_code error;
      co_await cleanup_.async_wait(asio::redirect_error(use_awaitable, error));
      std::erase_if(entries_, [](const auto& entry) {
        return entry.second < std::chrono::steady_clock::now();
      });
    }
  }

 private:
  steady_timer cleanup_;
  std::map<int, std::chrono::steady_clock::time_point> entries_;
  bool stopped_ = false;
};

// A cache with expiry.
TRUTH_CASE(asio_expiring_cache) {
  asio::io_context io;
  Cache cache(io.get_executor());
  co_spawn(io, cache.clean(), detached);
  co_spawn(
      io,
      [&]() -> awaitable<void> {
        for (int i = 0; i < 30; ++i) {
          cache.put(i);
          co_await pause(2ms);
        }
        cache.stop();
      },
      detached);
  serve(io);
}

// Debounced saves: each edit moves the timer.
class Editor {
 public:
  explicit Editor(asio::any_io_executor executor) : quiet_(executor) {}
  awaitable<void> save_when_quiet() {
    while (!closed_) {
      error_code error;
      co_await quiet_.async_wait(asio::redirect_error(use_awaitable, error));
      if (error) continue;  // an edit moved it
      ++saves_;
      quiet_.expires_at(steady_timer::time_point::max());
    }
  }
  void edit() { quiet_.expires_after(10ms); }
  void close() {
    closed_ = true;
    quiet_.cancel();
  }

 private:
  steady_timer quiet_;
  int saves_ = 0;
  bool closed_ = false;
};

// A timer that edits move.
TRUTH_CASE(debounced_saves) {
  asio::io_context io;
  Editor editor(io.get_executor());
  editor.edit();
  co_spawn(io, editor.save_when_quiet(), detached);
  co_spawn(
      io,
      [&]() -> awaitable<void> {
        for (int i = 0; i < 30; ++i) {
          editor.edit();
          co_await pause(i % 6 == 0 ? 15ms : 2ms);
        }
        editor.close();
      },
      detached);
  serve(io);
}

// A scheduler with a queue of deadlines and one timer, which is re-armed for an earlier job.
class Scheduler {
 public:
  explicit Scheduler(asio::any_io_executor executor)
      : timer_(executor, steady_timer::time_point::max()) {}
  void add(std::chrono::milliseconds after, std::function<void()> job) {
    jobs_.emplace(std::chrono::steady_clock::now() + after, std::move(job));
    timer_.cancel();
  }
  void stop() {
    stopped_ = true;
    timer_.cancel();
  }
  awaitable<void> run() {
    while (!stopped_) {
      timer_.expires_at(jobs_.empty() ? steady_timer::time_point::max() : jobs_.begin()->first);
      error_code error;
      co_await timer_.async_wait(asio::redirect_error(use_awaitable, error));
      while (!jobs_.empty() && jobs_.begin()->first <= std::chrono::steady_clock::now()) {
        auto job = std::move(jobs_.begin()->second);
        jobs_.erase(jobs_.begin());
        job();
      }
    }
  }

 private:
  steady_timer timer_;
  std::multimap<std::chrono::steady_clock::time_point, std::function<void()>> jobs_;
  bool stopped_ = false;
};

// A scheduler of jobs.
TRUTH_CASE(job_scheduler) {
  asio::io_context io;
  Scheduler scheduler(io.get_executor());
  int done = 0;
  co_spawn(io, scheduler.run(), detached);
  co_spawn(
      io,
      [&]() -> awaitable<void> {
        for (int i = 0; i < 20; ++i) {
          scheduler.add(std::chrono::milliseconds(20 - i), [&] { ++done; });
          co_await pause(1ms);
        }
        co_await pause(30ms);
        scheduler.stop();
      },
      detached);
  serve(io);
}

// A circuit breaker.
class Breaker {
 public:
  awaitable<bool> call(int number) {
    if (std::chrono::steady_clock::now() < closed_until_) co_return false;
    co_await pause(1ms);
    if (number % 4 != 3) co_return true;
    closed_until_ = std::chrono::steady_clock::now() + 10ms;
    co_return false;
  }

 private:
  std::chrono::steady_clock::time_point closed_until_;
};

// A circuit breaker that opens and closes.
TRUTH_CASE(circuit_breaker) {
  asio::io_context io;
  Breaker breaker;
  co_spawn(
      io,
      [&]() -> awaitable<void> {
        for (int i = 0; i < 40; ++i)
          if (!co_await breaker.call(i)) co_await pause(4ms);
      },
      detached);
  serve(io);
}

// A leader that renews its lease, and loses it when it stops.
TRUTH_CASE(lease_renewal) {
  asio::io_context io;
  steady_timer lease(io, 30ms);
  int terms = 0;
  co_spawn(
      io,
      [&]() -> awaitable<void> {
        for (;;) {
          error_code error;
          co_await lease.async_wait(asio::redirect_error(use_awaitable, error));
          if (!error) co_return;
          ++terms;
        }
      },
      detached);
  co_spawn(
      io,
      [&]() -> awaitable<void> {
        for (int i = 0; i < 10; ++i) {
          co_await pause(10ms);
          lease.expires_after(30ms);
        }
      },
      detached);
  serve(io);
}

// A batch that is flushed when it is full or old.
TRUTH_CASE(flush_when_full_or_old) {
  asio::io_context io;
  std::vector<int> batch;
  steady_timer age(io, steady_timer::time_point::max());
  bool closed = false;
  int flushes = 0;
  co_spawn(
      io,
      [&]() -> awaitable<void> {
        while (!closed) {
          error_code error;
          co_await age.async_wait(asio::redirect_error(use_awaitable, error));
          if (!batch.empty()) ++flushes;
          batch.clear();
          age.expires_at(steady_timer::time_point::max());
        }
      },
      detached);
  co_spawn(
      io,
      [&]() -> awaitable<void> {
        for (int i = 0; i < 60; ++i) {
          if (batch.empty()) age.expires_after(8ms);
          batch.push_back(i);
          if (batch.size() == 10) age.expires_after(0ms);
          co_await pause(std::chrono::milliseconds(i % 3));
        }
        closed = true;
        age.cancel();
      },
      detached);
  serve(io);
}

// Cancels a group of tasks that sleep for long.
TRUTH_CASE(cancelled_group) {
  asio::io_context io;
  std::vector<std::shared_ptr<steady_timer>> timers;
  for (int i = 0; i < 10; ++i) {
    timers.push_back(std::make_shared<steady_timer>(io, std::chrono::hours(1)));
    co_spawn(
        io,
        [timer = timers.back()]() -> awaitable<void> {
          error_code error;
          co_await timer->async_wait(asio::redirect_error(use_awaitable, error));
        },
        detached);
  }
  steady_timer stop(io, 50ms);
  stop.async_wait([&](error_code) {
    for (const auto& timer : timers) timer->cancel();
  });
  serve(io);
}

// Speculative execution: the slower of two attempts is cancelled.
TRUTH_CASE(hedged_requests) {
  asio::io_context io;
  for (int i = 0; i < 5; ++i) {
    auto first = std::make_shared<steady_timer>(io, std::chrono::milliseconds(10 + i));
    auto second = std::make_shared<steady_timer>(io, std::chrono::milliseconds(20 - 3 * i));
    for (const auto& [mine, other] : {std::pair(first, second), std::pair(second, first)})
      co_spawn(
          io,
          [mine = mine, other = other]() -> awaitable<void> {
            error_code error;
            co_await mine->async_wait(asio::redirect_error(use_awaitable, error));
            if (!error) other->cancel();
          },
          detached);
  }
  serve(io);
}

// Lazy coroutines that are created first and started later, one after the other.
TRUTH_CASE(work_list) {
  asio::io_context io;
  co_spawn(
      io,
      []() -> awaitable<void> {
        std::vector<awaitable<void>> list;
        for (int i = 0; i < 8; ++i) list.push_back(pause(8ms));
        co_await pause(20ms);
        for (awaitable<void>& one : list) co_await std::move(one);
      },
      detached);
  serve(io);
}

// Fire and forget.
TRUTH_CASE(asio_fire_and_forget) {
  asio::io_context io;
  co_spawn(
      io,
      []() -> awaitable<void> {
        const auto executor = co_await asio::this_coro::executor;
        for (int i = 0; i < 100; ++i) {
          co_spawn(executor, pause(2ms), detached);
          if (i % 10 == 0) co_await pause(1ms);
        }
      },
      detached);
  serve(io);
}

// A deep chain of calls.
awaitable<int> deep(int left) {
  if (left == 0) {
    co_await pause(5ms);
    co_return 0;
  }
  co_return 1 + co_await deep(left - 1);
}

TRUTH_CASE(deep_calls) {
  asio::io_context io;
  for (int i = 0; i < 3; ++i) co_spawn(io, deep(100), [](std::exception_ptr, int) {});
  serve(io);
}

// Blocking file I/O of a tool.
TRUTH_CASE(reads_files) {
  asio::io_context io;
  co_spawn(
      io,
      []() -> awaitable<void> {
        std::array<char, 4096> block;
        for (int i = 0; i < 20; ++i) {
          if (std::FILE* file = std::fopen("/proc/self/maps", "r")) {
            while (std::fread(block.data(), 1, block.size(), file) > 0) {
            }
            std::fclose(file);
          }
          co_await asio::post(use_awaitable);
        }
      },
      detached);
  serve(io);
}

// A progress display beside the work.
TRUTH_CASE(progress_display) {
  asio::io_context io;
  int done = 0;
  steady_timer redraw(io);
  bool finished = false;
  co_spawn(
      io,
      [&]() -> awaitable<void> {
        while (!finished) {
          redraw.expires_after(10ms);
          error_code error;
          co_await redraw.async_wait(asio::redirect_error(use_awaitable, error));
          std::printf("%d%%\r", done);
        }
      },
      detached);
  co_spawn(
      io,
      [&]() -> awaitable<void> {
        for (; done < 50; ++done) co_await pause(2ms);
        finished = true;
        redraw.cancel();
      },
      detached);
  serve(io);
}

// Two phases with a barrier.
TRUTH_CASE(phases_with_barrier) {
  asio::io_context io;
  steady_timer barrier(io, steady_timer::time_point::max());
  int arrived = 0;
  for (int i = 0; i < 5; ++i)
    co_spawn(
        io,
        [&, i]() -> awaitable<void> {
          co_await pause(std::chrono::milliseconds(3 * i));
          if (++arrived == 5) {
            barrier.cancel();
          } else {
            error_code error;
            co_await barrier.async_wait(asio::redirect_error(use_awaitable, error));
          }
          co_await pause(2ms);
        },
        detached);
  serve(io);
}

// Jobs for workers that wait for a timer which serves as a condition.
struct Jobs {
  explicit Jobs(asio::io_context& io) : posted(io, steady_timer::time_point::max()) {}
  void post() {
    ++left;
    posted.cancel_one();
  }
  steady_timer posted;
  int left = 0, done = 0;
};

awaitable<void> do_jobs(Jobs& jobs) {
  for (;;) {
    while (jobs.left == 0) {
      error_code error;
      co_await jobs.posted.async_wait(asio::redirect_error(use_awaitable, error));
    }
    --jobs.left;
    ++jobs.done;
  }
}

// A demonstration of 900 ms, at whose end the workers are idle.
TRUTH_CASE(idle_workers_at_the_end) {
  asio::io_context io;
  Jobs jobs(io);
  for (int i = 0; i < 3; ++i) co_spawn(io, do_jobs(jobs), detached);
  co_spawn(
      io,
      [&]() -> awaitable<void> {
        for (int i = 0; i < 40; ++i) {
          co_await pause(5ms);
          jobs.post();
        }
      },
      detached);
  if (truth::noise() > 0) std::make_shared<Chatter>(io, truth::noise())->burst();
  io.run_for(900ms);
}

// main() runs the event loop in turn with other things, and now and then has a job for its worker.
TRUTH_CASE(main_posts_jobs_in_turn) {
  asio::io_context io;
  Jobs jobs(io);
  co_spawn(io, do_jobs(jobs), detached);
  if (truth::noise() > 0) std::make_shared<Chatter>(io, truth::noise())->burst();
  for (int frame = 0; frame < 70; ++frame) {
    io.run_for(10ms);
    if (frame % 35 == 34) jobs.post();
  }
  io.poll();
}

}  // namespace
