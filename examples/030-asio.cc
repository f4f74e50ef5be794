// An echo server and its clients with Boost.Asio coroutines: an ordinary program whose source does
// not mention skein. Built with the targets skein::coroutine and skein::asio.
//
//   030-asio server [PORT]            runs until it is killed
//   030-asio client [PORT] [ROUNDS]   one client; 0 rounds: runs forever
//   030-asio both [PORT] [ROUNDS]     both in one process; ends when the last of three clients does
// clang-format off
#include <utility>  // missing in Boost 1.74's awaitable.hpp
// clang-format on
#include <boost/asio.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

namespace asio = boost::asio;
using asio::awaitable;
using asio::co_spawn;
using asio::detached;
using asio::use_awaitable;
using asio::ip::tcp;
using namespace std::chrono_literals;

awaitable<void> session(tcp::socket socket) {
  char data[512];
  try {
    for (;;) {
      const std::size_t size =
          co_await socket.async_read_some(asio::buffer(data), use_awaitable);  // await: message
      co_await asio::async_write(socket, asio::buffer(data, size), use_awaitable);
    }
  } catch (const boost::system::system_error&) {
    // The client has disconnected.
  }
}

awaitable<void> serve(tcp::acceptor& acceptor) {
  for (;;) {
    tcp::socket socket = co_await acceptor.async_accept(use_awaitable);  // await: client
    co_spawn(acceptor.get_executor(), session(std::move(socket)), detached);
  }
}

awaitable<std::size_t> request(tcp::socket& socket, const std::string& message) {
  co_await asio::async_write(socket, asio::buffer(message), use_awaitable);
  std::string response(message.size(), ' ');
  co_await asio::async_read(socket, asio::buffer(response), use_awaitable);  // await: response
  co_return response == message ? response.size() : 0;
}

awaitable<void> client(tcp::endpoint server, int rounds) {
  const auto executor = co_await asio::this_coro::executor;
  tcp::socket socket(executor);
  asio::steady_timer pause(executor);
  co_await socket.async_connect(server, use_awaitable);
  std::size_t bytes = 0;
  for (int round = 0; round != rounds || rounds == 0; ++round) {
    bytes += co_await request(socket, "message #" + std::to_string(round));  // await: request
    pause.expires_after(1ms);
    co_await pause.async_wait(use_awaitable);  // await: pause
  }
  std::printf("%d rounds, %zu bytes\n", rounds, bytes);
}

int main(int argc, char** argv) {
  const std::string role = argc > 1 ? argv[1] : "both";
  const auto port = static_cast<unsigned short>(argc > 2 ? std::atoi(argv[2]) : 0);
  const int rounds = argc > 3 ? std::atoi(argv[3]) : 10;
  try {
    asio::io_context loop;
    const tcp::endpoint here(asio::ip::address_v4::loopback(), port);
    if (role == "client") {
      co_spawn(loop, client(here, rounds), detached);
      loop.run();
      return 0;
    }
    tcp::acceptor acceptor(loop, here);
    co_spawn(loop, serve(acceptor), detached);
    int left = 3;
    if (role == "both") {
      for (int i = left; i > 0; --i)
        co_spawn(loop, client(acceptor.local_endpoint(), rounds), [&](std::exception_ptr) {
          if (--left == 0) loop.stop();
        });
    } else {
      std::printf("port %d\n", acceptor.local_endpoint().port());
      std::fflush(stdout);
    }
    loop.run();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "030-asio: %s\n", e.what());
    return 1;
  }
}
