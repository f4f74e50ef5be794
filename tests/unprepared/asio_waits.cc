// A server of Asio's coroutines without skein, each of which waits for something else. It prints
// "ready" when they do; asio_test.py knows what must be found.
#include <utility>  // missing in Boost 1.74's awaitable.hpp
// clang-format off
#ifdef __clang__  // old headers do not know its coroutines
#define ASIO_HAS_CO_AWAIT 1
#define ASIO_HAS_STD_COROUTINE 1
#include <asio.hpp>
#else
#include <boost/asio.hpp>
namespace asio = boost::asio;
#endif
// clang-format on
#include <chrono>
#include <csignal>
#include <cstdio>
#include <future>
#include <string>
#include <thread>
#include <vector>

using asio::awaitable;
using asio::use_awaitable;
using asio::ip::tcp;
using namespace std::chrono_literals;

namespace {

awaitable<void> sleep_for_an_hour() {
  asio::steady_timer timer(co_await asio::this_coro::executor, 1h);
  co_await timer.async_wait(use_awaitable);  // @sleep_for_an_hour
}

awaitable<void> wait_for_news(asio::steady_timer& news) {
  co_await news.async_wait(use_awaitable);  // @wait_for_news
}

awaitable<void> read_news(asio::steady_timer& news) {
  co_await wait_for_news(news);  // @read_news
}

awaitable<void> accept_and_ignore(tcp::acceptor& acceptor, std::vector<tcp::socket>& sockets) {
  for (;;) sockets.push_back(co_await acceptor.async_accept(use_awaitable));  // @accept_and_ignore
}

// An await with a result that is a class: of all its code, g++ -O1 gives only that of
// await_suspend() the line of the statement.
awaitable<void> accept_one(tcp::acceptor& acceptor) {
  for (;;) {
    auto socket = co_await acceptor.async_accept(use_awaitable);  // @accept_one
    std::printf("%d", socket.native_handle());
  }
}

awaitable<size_t> read_some(tcp::socket& socket, char (&bytes)[16]) {
  const size_t size =
      co_await socket.async_read_some(asio::buffer(bytes), use_awaitable);  // @read_some
  co_return size + 1;
}

awaitable<void> read_all(tcp::acceptor& acceptor) {
  tcp::socket socket(acceptor.get_executor());
  co_await socket.async_connect(acceptor.local_endpoint(), use_awaitable);
  char bytes[16];
  size_t size = 0;
  while (size < 3) {
    auto more = co_await read_some(socket, bytes);  // @read_all
    size += more;
  }
}

awaitable<void> query(tcp::endpoint server) {
  tcp::socket socket(co_await asio::this_coro::executor);
  co_await socket.async_connect(server, use_awaitable);
  co_await asio::async_write(socket, asio::buffer("get 7", 5), use_awaitable);
  std::string answer;
  co_await asio::async_read_until(socket, asio::dynamic_buffer(answer), '\n',
                                  use_awaitable);  // @query
}

awaitable<void> watch_signals() {
  asio::signal_set signals(co_await asio::this_coro::executor, SIGUSR1);
  co_await signals.async_wait(use_awaitable);  // @watch_signals
}

// Blocks its thread.
awaitable<void> wait_for_thread(std::future<int>& result) {
  asio::steady_timer timer(co_await asio::this_coro::executor, 10ms);
  co_await timer.async_wait(use_awaitable);
  result.get();  // @wait_for_thread
}

// Its timer expires when its thread is blocked.
awaitable<void> wait_behind() {
  asio::steady_timer timer(co_await asio::this_coro::executor, 20ms);
  co_await timer.async_wait(use_awaitable);  // @wait_behind
}

// When wait_behind() is a second late.
awaitable<void> say_ready() {
  asio::steady_timer timer(co_await asio::this_coro::executor, 1200ms);
  co_await timer.async_wait(use_awaitable);
  std::puts("ready");
  std::fflush(stdout);
}

}  // namespace

int main() {
  asio::io_context io;
  tcp::acceptor acceptor(io, {asio::ip::address_v4::loopback(), 0});
  std::vector<tcp::socket> sockets;
  asio::steady_timer news(io, asio::steady_timer::time_point::max());
  const auto start = [&](auto coroutine) { co_spawn(io, std::move(coroutine), asio::detached); };
  for (int i = 0; i < 2; ++i) start(sleep_for_an_hour());
  for (int i = 0; i < 3; ++i) start(read_news(news));
  start(accept_and_ignore(acceptor, sockets));
  tcp::acceptor other_acceptor(io, {asio::ip::address_v4::loopback(), 0});
  start(accept_one(other_acceptor));
  tcp::acceptor silent_acceptor(io, {asio::ip::address_v4::loopback(), 0});
  start(read_all(silent_acceptor));
  start(query(acceptor.local_endpoint()));
  start(watch_signals());
  start(say_ready());
  std::promise<int> never;
  std::future<int> result = never.get_future();
  asio::io_context other;
  co_spawn(other, wait_for_thread(result), asio::detached);
  co_spawn(other, wait_behind(), asio::detached);
  std::thread thread([&] { other.run(); });
  io.run();
  thread.join();
}
