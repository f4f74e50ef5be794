// Boost.Asio without skein: a coroutine waits for a timer that nothing cancels.
#include <boost/asio.hpp>

namespace asio = boost::asio;

asio::awaitable<void> wait_for_signal(asio::steady_timer& signal) {
  co_await signal.async_wait(asio::use_awaitable);  // HANGS wait_for_signal
}

asio::awaitable<void> serve(asio::steady_timer& signal) {
  co_await wait_for_signal(signal);
}

int main() {
  asio::io_context context;
  asio::steady_timer signal(context, asio::steady_timer::time_point::max());
  asio::co_spawn(context, serve(signal), asio::detached);
  context.run();
}
