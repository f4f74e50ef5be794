// Correct programs with the channels of standalone Asio, which end outside any task or while
// messages are under way.
#include <asio.hpp>
#include <asio/experimental/channel.hpp>
#include <asio/experimental/concurrent_channel.hpp>
#include <chrono>
#include <cstdio>
#include <memory>
#include <system_error>
#include <thread>

#include "case.h"

namespace {

using asio::awaitable;
using asio::co_spawn;
using asio::detached;
using asio::use_awaitable;
using namespace std::chrono_literals;
using Jobs = asio::experimental::channel<void(std::error_code, int)>;
using SharedJobs = asio::experimental::concurrent_channel<void(std::error_code, int)>;

// Other work of the same thread, so that a small ring wraps.
class Chatter : public std::enable_shared_from_this<Chatter> {
 public:
  explicit Chatter(asio::io_context& io) : io_(io), left_(truth::noise()) {}
  void next() {
    if (left_-- > 0) asio::post(io_, [self = shared_from_this()] { self->next(); });
  }

 private:
  asio::io_context& io_;
  int left_;
};

void chatter(asio::io_context& io) { std::make_shared<Chatter>(io)->next(); }

template <class Queue>
awaitable<void> work(Queue& jobs, int& done) {
  for (;;) {
    co_await jobs.async_receive(use_awaitable);
    ++done;
  }
}

template <class Queue>
awaitable<void> work_until_closed(Queue& jobs, int& done) {
  try {
    co_await work(jobs, done);
  } catch (const std::system_error&) {
  }
  std::printf("%d\n", done);
}

// Workers are idle when main() stops the event loop and destroys the channel before it.
TRUTH_CASE(idle_workers_at_exit) {
  asio::io_context io;
  Jobs jobs(io, 4);
  int done = 0;
  for (int i = 0; i < 3; ++i) co_spawn(io, work(jobs, done), detached);
  chatter(io);
  for (int i = 0; i < 4; ++i) jobs.try_send(std::error_code(), i);
  io.run_for(1500ms);
}

// main() closes the channel between two runs of the event loop; its consumer ends in the second.
TRUTH_CASE(closed_between_runs) {
  asio::io_context io;
  Jobs jobs(io, 4);
  int done = 0;
  co_spawn(io, work_until_closed(jobs, done), detached);
  chatter(io);
  io.run_for(100ms);
  jobs.close();
  io.restart();
  io.run();
}

// main() sends jobs, outside any task, to an event loop in another thread, and stops it with the
// last one under way.
TRUTH_CASE(stopped_with_message_under_way) {
  asio::io_context io;
  SharedJobs jobs(io, 0);
  int done = 0;
  for (int i = 0; i < 2; ++i) co_spawn(io, work(jobs, done), detached);
  chatter(io);
  auto guard = asio::make_work_guard(io);
  std::thread loop([&io] { io.run(); });
  for (int i = 0; i < 20; ++i) {
    while (!jobs.try_send(std::error_code(), i)) std::this_thread::yield();
    std::this_thread::sleep_for(2ms);
  }
  io.stop();
  loop.join();
  jobs.try_send(std::error_code(), 20);
}

// A task closes the channel and stops the event loop; the consumer, although runnable, never runs
// again.
TRUTH_CASE(closed_by_task_that_stops) {
  asio::io_context io;
  Jobs jobs(io, 4);
  int done = 0;
  co_spawn(io, work_until_closed(jobs, done), detached);
  chatter(io);
  asio::steady_timer quit(io, 1200ms);
  quit.async_wait([&](std::error_code) {
    jobs.close();
    io.stop();
  });
  io.run();
}

awaitable<void> square(Jobs& numbers, Jobs& squares) {
  for (;;) {
    const int number = co_await numbers.async_receive(use_awaitable);
    co_await squares.async_send(std::error_code(), number * number, use_awaitable);
  }
}

// Sends all before it reads; what has not been taken after two seconds is dropped.
awaitable<void> square_all(Jobs& numbers, Jobs& squares, int count) {
  asio::steady_timer patience(co_await asio::this_coro::executor, 2s);
  patience.async_wait([&](std::error_code error) {
    if (!error) numbers.cancel();
  });
  int sent = 0;
  try {
    for (; sent < count; ++sent)
      co_await numbers.async_send(std::error_code(), sent, use_awaitable);
  } catch (const std::system_error&) {
  }
  patience.cancel();
  for (int i = 0; i < sent; ++i) co_await squares.async_receive(use_awaitable);
}

awaitable<void> square_some(Jobs& numbers, Jobs& squares) {
  for (const int size : {2, 3, 20}) co_await square_all(numbers, squares, size);
}

// A batch is too large for two channels, and a timer will drop the rest of it. main() stops before.
TRUTH_CASE(batch_with_deadline) {
  asio::io_context io;
  Jobs numbers(io, 2), squares(io, 2);
  for (int i = 0; i < 2; ++i) co_spawn(io, square(numbers, squares), detached);
  co_spawn(io, square_some(numbers, squares), detached);
  chatter(io);
  io.run_for(1500ms);
}

// Each report takes a permit and returns it, and begins when the one before has ended.
awaitable<void> print(Jobs& permits, Jobs& pages) {
  const int permit = co_await permits.async_receive(use_awaitable);
  co_await pages.async_send(std::error_code(), permit, use_awaitable);
  co_await permits.async_send(std::error_code(), permit, use_awaitable);
}

awaitable<void> print_all(Jobs& permits, Jobs& pages) {
  for (int i = 0; i < 6; ++i) co_await print(permits, pages);
}

// A printer has read its pages, and pauses for two seconds before it reads more; main() stops
// before.
awaitable<void> read_pages(Jobs& pages) {
  asio::steady_timer pause(co_await asio::this_coro::executor);
  for (;;) {
    for (int i = 0; i < 3; ++i) co_await pages.async_receive(use_awaitable);
    pause.expires_after(2s);
    co_await pause.async_wait(use_awaitable);
  }
}

TRUTH_CASE(printer_pauses) {
  asio::io_context io;
  Jobs permits(io, 1), pages(io, 1);
  permits.try_send(std::error_code(), 1);
  co_spawn(io, print_all(permits, pages), detached);
  co_spawn(io, read_pages(pages), detached);
  chatter(io);
  io.run_for(1500ms);
}

}  // namespace
