// Waits for peers: cli_peers PORT [busy]. For peers_test.py, which is the peer.
//
//   ask      coroutine: sends 20 bytes, receives 20, sends 812, waits for an answer
//   pour     callbacks: sends until the peer's buffer is full
//   serve    coroutine: answers a request of its peer, waits for the next
//   accepts  waits for a connection, at the port that it prints
//
// With `busy`, posts that overwrite the ring, until no more than that is left.
#include <utility>
// clang-format off
#include <boost/asio.hpp>
// clang-format on
#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

namespace asio = boost::asio;
using asio::awaitable;
using asio::use_awaitable;
using asio::ip::tcp;

namespace {

std::array<char, 1 << 16> block;

awaitable<void> ask(tcp::endpoint peer) {
  tcp::socket socket(co_await asio::this_coro::executor);
  co_await socket.async_connect(peer, use_awaitable);
  std::array<char, 20> bytes{'A'};
  co_await asio::async_write(socket, asio::buffer(bytes), use_awaitable);
  co_await asio::async_read(socket, asio::buffer(bytes), use_awaitable);
  co_await asio::async_write(socket, asio::buffer(block, 812), use_awaitable);
  co_await socket.async_read_some(asio::buffer(bytes), use_awaitable);
}

struct Pour : std::enable_shared_from_this<Pour> {
  explicit Pour(asio::io_context& loop) : socket(loop) {}
  void start(tcp::endpoint peer) {
    socket.async_connect(peer, [self = shared_from_this()](boost::system::error_code) {
      block[0] = 'P';
      self->more();
    });
  }
  void more() {
    asio::async_write(socket, asio::buffer(block),
                      [self = shared_from_this()](boost::system::error_code error, size_t) {
                        if (!error) self->more();
                      });
  }
  tcp::socket socket;
};

awaitable<void> serve(tcp::endpoint peer) {
  tcp::socket socket(co_await asio::this_coro::executor);
  socket.connect(peer);
  socket.send(asio::buffer("S", 1));  // that no hook sees
  std::array<char, 20> bytes;
  for (;;) {
    const size_t size = co_await socket.async_read_some(asio::buffer(bytes), use_awaitable);
    co_await asio::async_write(socket, asio::buffer(bytes, size), use_awaitable);
  }
}

void post(asio::io_context& loop, int left) {
  if (left > 0)
    asio::post(loop, [&loop, left] { post(loop, left - 1); });
  else
    std::puts("waiting"), std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  asio::io_context loop;
  const tcp::endpoint peer(asio::ip::address_v4::loopback(),
                           static_cast<unsigned short>(std::atoi(argv[1])));
  tcp::acceptor acceptor(loop, {asio::ip::address_v6::loopback(), 0});
  acceptor.async_accept([](boost::system::error_code, tcp::socket) {});
  asio::co_spawn(loop, ask(peer), asio::detached);
  asio::co_spawn(loop, serve(peer), asio::detached);
  std::make_shared<Pour>(loop)->start(peer);
  std::printf("%d\n", acceptor.local_endpoint().port());
  asio::steady_timer timer(loop, std::chrono::milliseconds(300));
  timer.async_wait([&](boost::system::error_code) { post(loop, argc > 2 ? 20'000 : 0); });
  loop.run();
}
