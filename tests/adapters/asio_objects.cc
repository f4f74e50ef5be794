// What operations use: timers, sockets, a signal set; who cancels, re-arms and closes them. For
// asio_objects_test.py.
#include <utility>
// clang-format off
#include <boost/asio.hpp>
// clang-format on
#include <csignal>
#include <cstdio>

namespace asio = boost::asio;
using asio::awaitable;
using asio::ip::tcp;
using error_code = decltype(make_error_code(asio::error::eof));  // of Boost or the standard library
using std::chrono::milliseconds;

namespace {

constexpr auto never = asio::steady_timer::time_point::max();

awaitable<void> wait_for(asio::steady_timer& timer) {
  error_code error;
  co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, error));
}

awaitable<void> waiter(asio::steady_timer& timer) { co_await wait_for(timer); }

awaitable<void> killer(asio::steady_timer& timer) {
  asio::steady_timer own(timer.get_executor(), milliseconds(5));
  co_await wait_for(own);
  timer.cancel();
}

// Cancels a timer that no operation waits for, before and after it gets a new expiry.
awaitable<void> early(asio::steady_timer& timer) {
  timer.cancel();
  timer.expires_at(never);
  timer.cancel_one();
  co_return;
}

// Timers in one coroutine frame after another: objects at one address.
awaitable<void> reuse() {
  for (int i = 0; i < 3; ++i) {
    asio::steady_timer own(co_await asio::this_coro::executor, milliseconds(1));
    co_await wait_for(own);
  }
}

awaitable<void> reader(tcp::socket& socket) {
  char bytes[16];
  error_code error;
  co_await socket.async_receive(asio::buffer(bytes),
                                asio::redirect_error(asio::use_awaitable, error));
  std::printf("%zu\n", static_cast<size_t>(error == asio::error::operation_aborted));
}

awaitable<void> closer(tcp::socket& socket) {
  asio::steady_timer own(socket.get_executor(), milliseconds(5));
  co_await wait_for(own);
  socket.close();
}

awaitable<void> lookup() {
  tcp::resolver resolver(co_await asio::this_coro::executor);
  error_code error;
  co_await resolver.async_resolve("localhost", "http",
                                  asio::redirect_error(asio::use_awaitable, error));
}

awaitable<void> signals(asio::signal_set& set) {
  error_code error;
  co_await set.async_wait(asio::redirect_error(asio::use_awaitable, error));
}

}  // namespace

int main() {
  asio::io_context loop;
  asio::steady_timer shared(loop, std::chrono::hours(1)), condition(loop, never);
  asio::co_spawn(loop, waiter(shared), asio::detached);
  asio::co_spawn(loop, killer(shared), asio::detached);
  asio::co_spawn(loop, early(condition), asio::detached);
  asio::co_spawn(loop, reuse(), asio::detached);

  tcp::acceptor acceptor(loop, {asio::ip::address_v4::loopback(), 0});
  tcp::socket client(loop);
  client.connect(acceptor.local_endpoint());
  tcp::socket server = acceptor.accept();
  asio::co_spawn(loop, reader(client), asio::detached);
  asio::co_spawn(loop, closer(client), asio::detached);

  asio::co_spawn(loop, lookup(), asio::detached);
  auto strand = asio::make_strand(loop);
  for (int i = 0; i < 2; ++i) asio::post(strand, [] {});

  asio::signal_set set(loop, SIGUSR1, SIGINT);
  asio::co_spawn(loop, signals(set), asio::detached);
  asio::post(loop, [&] { set.cancel(); });
  loop.run();
}
