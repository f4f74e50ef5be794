// Callbacks of several forms, for asio_callbacks_test.py. Each operation has a line of its own.
#include <utility>  // before Boost 1.74
//
#include <boost/asio.hpp>
#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>

namespace net = boost::asio;
using boost::system::error_code;

namespace app {

struct Link : std::enable_shared_from_this<Link> {
  explicit Link(net::io_context& io) : timer(io), from(io), to(io) {}

  void retry() {
    timer.expires_after(std::chrono::milliseconds(1));
    timer.async_wait([self = shared_from_this()](error_code) { self->bound(); });  // line: retry
  }
  void bound() {
    timer.expires_after(std::chrono::milliseconds(1));
    timer.async_wait(std::bind(&Link::on_timer, shared_from_this(), std::placeholders::_1));
  }
  void on_timer(const error_code&) { read(); }
  void read() {
    net::local::connect_pair(from, to);
    net::async_read(
        from, net::buffer(text),  // a composed operation
        [self = shared_from_this()](error_code, std::size_t) { std::printf("%s\n", self->text); });
    net::async_write(to, net::buffer("abc", 4), [](error_code, std::size_t) {});
  }

  net::steady_timer timer;
  net::local::stream_protocol::socket from, to;
  char text[4] = {};
};

struct Job {
  void operator()() const { std::puts("job"); }
};

#if defined(BOOST_ASIO_HAS_CO_AWAIT)
// While it waits, other operations have their own locations.
net::awaitable<void> states_location(net::io_context& io) {
  BOOST_ASIO_HANDLER_LOCATION(("nowhere.cc", 1, "nowhere"));
  BOOST_ASIO_HANDLER_LOCATION(("nowhere.cc", 2, "nowhere"));
  net::steady_timer timer(io, std::chrono::milliseconds(20));
  co_await timer.async_wait(net::use_awaitable);
}
#endif

void plain_function() { std::puts("function"); }

}  // namespace app

int main() {
  net::io_context io(1);
#if defined(BOOST_ASIO_HAS_CO_AWAIT)
  net::co_spawn(io, app::states_location(io), net::detached);
  io.poll();
  io.restart();  // on a slow machine the coroutine has already ended
#endif
  std::make_shared<app::Link>(io)->retry();
  net::post(io, app::Job());
  net::post(io, app::plain_function);
  net::post(io, [] { std::puts("lambda"); });  // line: main
  io.run();
}
