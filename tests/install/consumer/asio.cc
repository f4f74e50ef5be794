// An ordinary standalone Asio program with a handler and a timer.
#include <skein/skein.h>

#include <asio/io_context.hpp>
#include <asio/post.hpp>
#include <asio/steady_timer.hpp>
#include <chrono>

int main(int, char** argv) {
  skein_options options{};
  options.directory = argv[1];
  if (skein_start(&options) != 0) return 1;
  int count = 0;
  asio::io_context loop;
  asio::steady_timer timer(loop, std::chrono::milliseconds(1));
  timer.async_wait([&](std::error_code) { ++count; });
  asio::post(loop, [&] { ++count; });
  loop.run();
  skein_stop();
  return count == 2 ? 0 : 1;
}
