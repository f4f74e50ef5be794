// A program that has another handler tracking of Asio: built-in or custom, by the compiler's
// command line or by a #define.
#ifdef DEFINE_ENABLE
#define BOOST_ASIO_ENABLE_HANDLER_TRACKING
#endif
#ifdef DEFINE_CUSTOM
#define BOOST_ASIO_CUSTOM_HANDLER_TRACKING "tests/adapters/user_tracking/custom.h"
#endif
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdio>
#ifdef BOOST_ASIO_SEPARATE_COMPILATION
#include <boost/asio/impl/src.hpp>
#endif

namespace asio = boost::asio;

int main() {
  asio::io_context loop;
  asio::steady_timer timer(loop, std::chrono::milliseconds(1));
  timer.async_wait([](boost::system::error_code) { std::puts("expired"); });
  asio::post(loop, [] { std::puts("posted"); });
  loop.run();
#ifdef CUSTOM_TRACKING
  std::printf("created %d, completed %d\n", custom::created, custom::completed);
#endif
}
