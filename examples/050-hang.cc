// A client that hangs for a reason that no log shows; docs/tutorial.md finds it. An ordinary Asio
// program: the source does not mention skein. Built with skein::asio.
//   050-hang 1     the driver acknowledges after 1 ms, the response arrives after 5: works
//   050-hang 10    the response arrives first: hangs
#include <utility>  // missing in Boost 1.74's awaitable.hpp
// clang-format off
#include <boost/asio.hpp>
// clang-format on
#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace asio = boost::asio;
using asio::awaitable;
using asio::use_awaitable;
using std::chrono::milliseconds;

awaitable<void> pause_for(milliseconds time) {
  static const auto begin = std::chrono::steady_clock::now();  // of all, also on a busy machine
  asio::steady_timer timer(co_await asio::this_coro::executor, begin + time);
  co_await timer.async_wait(use_awaitable);
}

// A condition as Asio programs often build it: a timer that never expires; signal() cancels it.
class condition {
 public:
  explicit condition(asio::io_context& loop)
      : timer_(loop, asio::steady_timer::time_point::max()) {}
  awaitable<void> wait() {
    boost::system::error_code cancelled;
    co_await timer_.async_wait(asio::redirect_error(use_awaitable, cancelled));
  }
  void signal() { timer_.cancel(); }

 private:
  asio::steady_timer timer_;
};

awaitable<void> query(condition& answered, milliseconds acknowledgement) {
  co_await pause_for(acknowledgement);  // the driver acknowledges the transmission
  co_await answered.wait();
}

awaitable<void> use_network(condition& answered, milliseconds acknowledgement) {
  co_await query(answered, acknowledgement);
  std::puts("answered");
}

awaitable<void> network(condition& answered) {
  co_await pause_for(milliseconds(5));
  answered.signal();
}

int main(int argc, char** argv) {
  const milliseconds acknowledgement(argc > 1 ? std::atoi(argv[1]) : 1);
  asio::io_context loop;
  condition answered(loop);
  asio::co_spawn(loop, use_network(answered, acknowledgement), asio::detached);
  asio::co_spawn(loop, network(answered), asio::detached);
  loop.run();
}
