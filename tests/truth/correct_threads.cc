// Correct programs with several threads: pools, strands, futures, blocking calls in threads of
// their own.
#include <array>
#include <atomic>
#include <cmath>
#include <condition_variable>
#include <deque>
#include <future>
#include <map>
#include <mutex>
#include <numeric>
#include <optional>
#include <shared_mutex>

#include "net.h"

namespace {

double compute(int ms) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(ms);
  double x = 1;
  while (std::chrono::steady_clock::now() < end) x = std::sqrt(x + 2);
  return x;
}

// A pool of threads with short jobs.
TRUTH_CASE(pool_of_jobs) {
  asio::thread_pool pool(3);
  std::atomic<int> done = 0;
  for (int i = 0; i < 500; ++i) asio::post(pool, [&] { ++done; });
  pool.join();
}

// Jobs that create jobs.
void divide(asio::thread_pool& pool, int level, std::atomic<int>& leaves) {
  if (level == 0) {
    ++leaves;
    return;
  }
  for (int i = 0; i < 3; ++i)
    asio::post(pool, [&pool, &leaves, level] { divide(pool, level - 1, leaves); });
}

TRUTH_CASE(divide_and_conquer) {
  asio::thread_pool pool(3);
  std::atomic<int> leaves = 0;
  divide(pool, 5, leaves);
  pool.join();
}

// Computations of a pool beside an event loop that stays responsive.
TRUTH_CASE(computes_in_pool) {
  asio::io_context io;
  asio::thread_pool pool(2);
  co_spawn(
      io,
      [&]() -> awaitable<void> {
        for (int i = 0; i < 5; ++i)
          co_await co_spawn(
              pool,
              []() -> awaitable<void> {
                compute(15);
                co_return;
              },
              use_awaitable);
      },
      detached);
  co_spawn(
      io,
      []() -> awaitable<void> {
        for (int i = 0; i < 20; ++i) co_await pause(4ms);
      },
      detached);
  serve(io);
  pool.join();
}

// A job that takes long in a thread of its own.
TRUTH_CASE(long_job_in_pool) {
  asio::io_context io;
  asio::thread_pool pool(1);
  std::atomic<bool> done = false;
  asio::post(pool, [&] {
    compute(250);
    done = true;
  });
  co_spawn(
      io,
      [&]() -> awaitable<void> {
        while (!done) co_await pause(5ms);
      },
      detached);
  serve(io);
  pool.join();
}

// A pool without work, until the program ends.
TRUTH_CASE(idle_pool) {
  asio::thread_pool pool(3);
  asio::post(pool, [] {});
  std::this_thread::sleep_for(200ms);
  pool.stop();
  pool.join();
}

// A strand that protects a counter.
TRUTH_CASE(strand_counter) {
  asio::io_context io;
  auto strand = asio::make_strand(io);
  int counter = 0;
  for (int i = 0; i < 400; ++i) asio::post(strand, [&] { ++counter; });
  serve(io, 3);
}

// Several strands, with jobs that sleep for a moment.
TRUTH_CASE(several_strands) {
  asio::io_context io;
  std::vector<asio::strand<asio::io_context::executor_type>> strands;
  std::array<int, 4> counts = {};
  for (int i = 0; i < 4; ++i) strands.push_back(asio::make_strand(io));
  for (std::size_t i = 0; i < 80; ++i)
    asio::post(strands[i % 4], [&counts, i] {
      ++counts[i % 4];
      std::this_thread::sleep_for(500us);
    });
  serve(io, 3);
}

// An actor: its state is used only in its strand.
class Account {
 public:
  explicit Account(asio::io_context& io) : strand_(asio::make_strand(io)) {}
  awaitable<int> add(int amount) {
    co_await asio::post(strand_, use_awaitable);
    balance_ += amount;
    co_return balance_;
  }

 private:
  asio::strand<asio::io_context::executor_type> strand_;
  int balance_ = 0;
};

TRUTH_CASE(actor_with_strand) {
  asio::io_context io;
  Account account(io);
  for (int i = 0; i < 8; ++i)
    co_spawn(
        asio::make_strand(io),
        [&]() -> awaitable<void> {
          for (int k = 0; k < 15; ++k) co_await account.add(k);
        },
        detached);
  serve(io, 3);
}

// Coroutines on four threads, each in its strand.
TRUTH_CASE(coroutines_on_threads) {
  asio::io_context io;
  for (int i = 0; i < 12; ++i)
    co_spawn(
        asio::make_strand(io),
        [i]() -> awaitable<void> {
          for (int k = 0; k < 10; ++k) {
            co_await pause(std::chrono::milliseconds(1 + (i + k) % 4));
            compute(1);
          }
        },
        detached);
  serve(io, 4);
}

// main() waits for a future that the event loop's thread fulfils.
TRUTH_CASE(main_waits_for_future) {
  asio::io_context io;
  auto guard = asio::make_work_guard(io);
  std::thread worker([&] { io.run(); });
  for (int i = 0; i < 5; ++i) {
    std::future<int> answer = co_spawn(
        io,
        [i]() -> awaitable<int> {
          co_await pause(15ms);
          co_return i;
        },
        asio::use_future);
    answer.get();
  }
  guard.reset();
  worker.join();
}

// A request to a synchronous library in a thread, whose result is posted back.
TRUTH_CASE(blocking_library) {
  asio::io_context io;
  std::vector<std::thread> threads;
  int results = 0;
  for (int i = 0; i < 4; ++i) {
    auto guard = std::make_shared<asio::executor_work_guard<asio::io_context::executor_type>>(
        io.get_executor());
    threads.emplace_back([&io, &results, guard, i] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20 * i));
      asio::post(io, [&results, guard] { ++results; });
    });
  }
  serve(io);
  for (std::thread& thread : threads) thread.join();
}

// A task that waits for a result of a thread that skein doesn't see until it comes.
class Result {
 public:
  explicit Result(asio::io_context& io)
      : io_(io), guard_(io.get_executor()), come_(io, steady_timer::time_point::max()) {}
  void set(int value) {  // from any thread
    asio::post(io_, [this, value] {
      value_ = value;
      come_.cancel();
      guard_.reset();
    });
  }
  awaitable<int> get() {
    while (!value_) {
      error_code error;
      co_await come_.async_wait(asio::redirect_error(use_awaitable, error));
    }
    co_return *value_;
  }

 private:
  asio::io_context& io_;
  asio::executor_work_guard<asio::io_context::executor_type> guard_;
  steady_timer come_;
  std::optional<int> value_;
};

TRUTH_CASE(result_of_thread) {
  asio::io_context io;
  Result result(io);
  co_spawn(io, result.get(), [](std::exception_ptr, int) {});
  std::thread thread([&] {
    compute(250);
    result.set(42);
  });
  serve(io);
  thread.join();
}

// A queue between threads, with a mutex and a condition variable.
template <class T>
class Blocking_queue {
 public:
  void push(T value) {
    const std::lock_guard lock(mutex_);
    values_.push_back(std::move(value));
    filled_.notify_one();
  }
  T pop() {
    std::unique_lock lock(mutex_);
    filled_.wait(lock, [this] { return !values_.empty(); });
    T value = std::move(values_.front());
    values_.pop_front();
    return value;
  }

 private:
  std::mutex mutex_;
  std::condition_variable filled_;
  std::deque<T> values_;
};

// An event loop that hands work to a thread of the program's own.
TRUTH_CASE(logger_thread) {
  asio::io_context io;
  Blocking_queue<std::string> lines;
  std::size_t size = 0;
  std::thread logger([&] {
    for (std::string line; !(line = lines.pop()).empty();) size += line.size();
  });
  co_spawn(
      io,
      [&]() -> awaitable<void> {
        for (int i = 0; i < 30; ++i) {
          lines.push("line " + std::to_string(i));
          co_await pause(2ms);
        }
        lines.push("");
      },
      detached);
  serve(io);
  logger.join();
}

// Two event loops, each with its thread, that send each other jobs.
TRUTH_CASE(two_loops) {
  asio::io_context a, b;
  auto keep_a = asio::make_work_guard(a), keep_b = asio::make_work_guard(b);
  std::function<void(int)> ping = [&](int left) {
    if (left == 0) {
      keep_a.reset();
      keep_b.reset();
      return;
    }
    asio::post(b, [&, left] { asio::post(a, [&, left] { ping(left - 1); }); });
  };
  asio::post(a, [&] { ping(100); });
  std::thread other([&] { b.run(); });
  a.run();
  other.join();
}

// One event loop for each thread, with connections between them.
awaitable<void> echo(tcp::socket socket) {
  std::array<char, 64> data;
  try {
    for (;;) {
      const auto size = co_await socket.async_read_some(asio::buffer(data), use_awaitable);
      co_await asio::async_write(socket, asio::buffer(data, size), use_awaitable);
    }
  } catch (const boost::system::system_error&) {
  }
}

awaitable<void> chat(tcp::endpoint server, int rounds) {
  tcp::socket socket(co_await asio::this_coro::executor);
  co_await socket.async_connect(server, use_awaitable);
  std::array<char, 8> data = {};
  for (int i = 0; i < rounds; ++i) {
    co_await asio::async_write(socket, asio::buffer(data), use_awaitable);
    co_await asio::async_read(socket, asio::buffer(data), use_awaitable);
  }
}

TRUTH_CASE(loop_per_thread) {
  asio::io_context server, client;
  tcp::acceptor acceptor(server, loopback());
  co_spawn(
      server,
      [&]() -> awaitable<void> {
        for (int i = 0; i < 4; ++i)
          co_spawn(server, echo(co_await acceptor.async_accept(use_awaitable)), detached);
      },
      detached);
  for (int i = 0; i < 4; ++i) co_spawn(client, chat(acceptor.local_endpoint(), 30), detached);
  std::thread thread([&] { server.run(); });
  client.run();
  thread.join();
}

// A server with worker threads for each request.
TRUTH_CASE(requests_in_pool) {
  asio::io_context io;
  asio::thread_pool pool(3);
  tcp::acceptor acceptor(io, loopback());
  co_spawn(
      io,
      [&]() -> awaitable<void> {
        for (int i = 0; i < 4; ++i)
          co_spawn(
              io,
              [](tcp::socket socket, asio::thread_pool& pool) -> awaitable<void> {
                std::array<char, 8> data;
                try {
                  for (;;) {
                    co_await asio::async_read(socket, asio::buffer(data), use_awaitable);
                    co_await co_spawn(
                        pool,
                        []() -> awaitable<void> {
                          compute(1);
                          co_return;
                        },
                        use_awaitable);
                    co_await asio::async_write(socket, asio::buffer(data), use_awaitable);
                  }
                } catch (const boost::system::system_error&) {
                }
              }(co_await acceptor.async_accept(use_awaitable), pool),
              detached);
      },
      detached);
  for (int i = 0; i < 4; ++i) co_spawn(io, chat(acceptor.local_endpoint(), 10), detached);
  serve(io);
  pool.join();
}

// Parallel parts whose results are joined with a strand.
TRUTH_CASE(map_and_reduce) {
  asio::thread_pool pool(4);
  auto strand = asio::make_strand(pool);
  long total = 0;
  for (int part = 0; part < 20; ++part)
    asio::post(pool, [&, part] {
      long sum = 0;
      for (int i = 0; i < 10'000; ++i) sum += i % (part + 1);
      asio::post(strand, [&total, sum] { total += sum; });
    });
  pool.join();
}

// std::async beside an event loop.
TRUTH_CASE(std_async) {
  asio::io_context io;
  std::vector<std::future<double>> parts;
  for (int i = 0; i < 4; ++i) parts.push_back(std::async(std::launch::async, compute, 20));
  co_spawn(
      io,
      [&]() -> awaitable<void> {
        for (auto& part : parts)
          while (part.wait_for(0ms) != std::future_status::ready) co_await pause(3ms);
      },
      detached);
  serve(io);
}

// A cache that threads share, with a std::shared_mutex.
TRUTH_CASE(shared_cache) {
  asio::thread_pool pool(3);
  std::shared_mutex mutex;
  std::map<int, int> cache;
  for (int i = 0; i < 300; ++i)
    asio::post(pool, [&, key = i % 20] {
      {
        const std::shared_lock lock(mutex);
        if (cache.contains(key)) return;
      }
      const std::unique_lock lock(mutex);
      cache[key] = key * key;
    });
  pool.join();
}

// Threads that start and end, each with its own event loop.
TRUTH_CASE(threads_come_and_go) {
  for (int round = 0; round < 6; ++round) {
    std::thread thread([round] {
      asio::io_context io;
      co_spawn(io, pause(std::chrono::milliseconds(5 * round)), detached);
      io.run();
    });
    thread.join();
  }
}

// A timer on one thread, cancelled from another one by post().
TRUTH_CASE(cancel_from_thread) {
  asio::io_context io;
  steady_timer far(io, std::chrono::hours(1));
  co_spawn(
      io,
      [&]() -> awaitable<void> {
        error_code error;
        co_await far.async_wait(asio::redirect_error(use_awaitable, error));
      },
      detached);
  std::thread thread([&] {
    std::this_thread::sleep_for(120ms);
    asio::post(io, [&] { far.cancel(); });
  });
  serve(io);
  thread.join();
}

// Rare, long computations on one of two threads; the other one serves.
TRUTH_CASE(report_on_spare_thread) {
  asio::io_context io;
  asio::thread_pool spare(1);
  co_spawn(
      io,
      [&]() -> awaitable<void> {
        co_await pause(10ms);
        co_await co_spawn(
            spare,
            []() -> awaitable<void> {
              compute(150);
              co_return;
            },
            use_awaitable);
      },
      detached);
  co_spawn(
      io,
      []() -> awaitable<void> {
        for (int i = 0; i < 40; ++i) co_await pause(4ms);
      },
      detached);
  serve(io);
  spare.join();
}

// A producer thread that is faster than the event loop for a moment.
TRUTH_CASE(burst_from_thread) {
  asio::io_context io;
  auto guard = asio::make_work_guard(io);
  int done = 0;
  std::thread thread([&] {
    for (int burst = 0; burst < 5; ++burst) {
      for (int i = 0; i < 200; ++i) asio::post(io, [&] { ++done; });
      std::this_thread::sleep_for(20ms);
    }
    guard.reset();
  });
  serve(io);
  thread.join();
}

// A periodic job in a pool with a timer of its own.
TRUTH_CASE(timer_in_pool) {
  asio::thread_pool pool(2);
  steady_timer timer(pool);
  int rounds = 0;
  std::promise<void> over;
  std::function<void()> arm = [&] {
    timer.expires_after(5ms);
    timer.async_wait([&](error_code) {
      if (++rounds == 20) return over.set_value();
      arm();
    });
  };
  arm();
  over.get_future().wait();
  pool.join();
}

// Stopping an event loop from another thread while its tasks sleep.
TRUTH_CASE(stop_from_thread) {
  asio::io_context io;
  for (int i = 0; i < 5; ++i)
    co_spawn(
        io,
        []() -> awaitable<void> {
          for (;;) co_await pause(10ms);
        },
        detached);
  std::thread thread([&] {
    std::this_thread::sleep_for(150ms);
    io.stop();
  });
  serve(io, 2);
  thread.join();
}

// Backpressure: at most ten jobs are in the pool at a time.
TRUTH_CASE(backpressure) {
  asio::thread_pool pool(2);
  std::mutex mutex;
  std::condition_variable drained;
  int in_flight = 0;
  for (int i = 0; i < 200; ++i) {
    std::unique_lock lock(mutex);
    drained.wait(lock, [&] { return in_flight < 10; });
    ++in_flight;
    asio::post(pool, [&] {
      std::this_thread::sleep_for(200us);
      const std::lock_guard held(mutex);
      --in_flight;
      drained.notify_one();
    });
  }
  pool.join();
}

// A task that asks a pool for its settings, then polls a sensor until the program stops.
awaitable<void> watch_sensor(asio::thread_pool& pool) {
  co_await co_spawn(
      pool,
      []() -> awaitable<void> {
        std::this_thread::sleep_for(1ms);
        co_return;
      },
      use_awaitable);
  for (;;) co_await pause(1ms);
}

// main() runs the loop for a moment, before its threads take over: waits begin on a thread that
// does nothing later, and end on busy ones.
TRUTH_CASE(warms_up_on_main_thread) {
  asio::io_context io;
  asio::thread_pool pool(2);
  for (int i = 0; i < 8; ++i) co_spawn(io, watch_sensor(pool), detached);
  io.poll();
  if (truth::noise() > 0) std::make_shared<Chatter>(io, truth::noise())->burst();
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) threads.emplace_back([&io] { truth::run(io); });
  std::this_thread::sleep_for(300ms);
  io.stop();
  for (std::thread& thread : threads) thread.join();
  pool.join();
}

// Tasks that begin to wait before a thread is created for each half of the event loop's work, and
// that then go from thread to thread.
TRUTH_CASE(tasks_change_threads) {
  asio::io_context first;
  asio::io_context second;
  const auto guard = asio::make_work_guard(second);
  for (int i = 0; i < 6; ++i)
    co_spawn(
        first,
        [&]() -> awaitable<void> {
          for (int j = 0; j < 20; ++j) {
            co_await pause(1ms);
            co_await co_spawn(second, pause(1ms), use_awaitable);
          }
        },
        detached);
  std::thread thread([&] { second.run(); });
  serve(first);
  second.stop();
  thread.join();
}

// A game: each frame takes its time, and then main() polls the event loop, to which a thread posts.
TRUTH_CASE(polled_each_frame) {
  asio::io_context io;
  std::atomic<int> frames = 0;
  std::thread network([&] {
    while (frames < 5) {
      std::this_thread::sleep_for(40ms);
      asio::post(io, [] {});
    }
  });
  for (; frames < 5; ++frames) {
    std::this_thread::sleep_for(250ms);
    io.poll();
    io.restart();
  }
  network.join();
  io.poll();
}

}  // namespace
