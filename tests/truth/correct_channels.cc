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

}  // namespace
