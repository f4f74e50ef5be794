// Echo round trips over loopback with Boost.Asio's coroutines: an ordinary program, built once as
// it is and once with the targets skein::coroutine and skein::asio. bench/run alternates between
// them.
//
//   bench_echo ROUND_TRIPS SAMPLES     one line per sample: CPU ns per round trip, wall ns
#include <time.h>

#include <utility>  // before awaitable.hpp of Boost 1.74, which does not include it
//
#include <boost/asio.hpp>
#include <cstdio>
#include <cstdlib>

namespace asio = boost::asio;
using asio::awaitable;
using asio::use_awaitable;
using asio::ip::tcp;

namespace {

double ns(clockid_t clock) {
  timespec t;
  clock_gettime(clock, &t);
  return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

awaitable<void> serve(tcp::acceptor& acceptor) {
  tcp::socket socket = co_await acceptor.async_accept(use_awaitable);
  socket.set_option(tcp::no_delay(true));
  char data[64];
  try {
    for (;;) {
      const std::size_t size = co_await socket.async_read_some(asio::buffer(data), use_awaitable);
      co_await asio::async_write(socket, asio::buffer(data, size), use_awaitable);
    }
  } catch (const boost::system::system_error&) {
    // The client has disconnected.
  }
}

awaitable<void> ask(tcp::endpoint server, int trips, int samples) {
  tcp::socket socket(co_await asio::this_coro::executor);
  co_await socket.async_connect(server, use_awaitable);
  socket.set_option(tcp::no_delay(true));
  char data[64] = "question";
  for (int sample = 0; sample < samples; ++sample) {
    const double cpu = ns(CLOCK_PROCESS_CPUTIME_ID);
    const double wall = ns(CLOCK_MONOTONIC);
    for (int i = 0; i < trips; ++i) {
      co_await asio::async_write(socket, asio::buffer(data), use_awaitable);
      co_await asio::async_read(socket, asio::buffer(data), use_awaitable);
    }
    std::printf("%.1f\t%.1f\n", (ns(CLOCK_PROCESS_CPUTIME_ID) - cpu) / trips,
                (ns(CLOCK_MONOTONIC) - wall) / trips);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fputs("usage: bench_echo ROUND_TRIPS SAMPLES\n", stderr);
    return 2;
  }
  asio::io_context loop(1);
  tcp::acceptor acceptor(loop, {asio::ip::address_v4::loopback(), 0});
  asio::co_spawn(loop, serve(acceptor), asio::detached);
  asio::co_spawn(loop, ask(acceptor.local_endpoint(), std::atoi(argv[1]), std::atoi(argv[2])),
                 asio::detached);
  loop.run();
}
