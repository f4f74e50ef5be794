// Performs the actions of a library and its own, one after the other.
#include <cstdio>
#include <vector>

#include "tests/adapters/mixed_build/lib.h"

asio::awaitable<void> work() {
  for (int round = 1; round <= 3; ++round) {
    std::printf("library slept %d, ", co_await library::sleep(round));
    std::printf("program slept %d\n", co_await program::sleep(round));
    std::printf("library: %s, ", (co_await library::exchange("written")).c_str());
    std::printf("program: %s\n", (co_await program::exchange("written")).c_str());
  }
}

int main() {
  asio::io_context loop;
  asio::co_spawn(loop, work(), asio::detached);
  loop.run();
  loop.restart();

  int posted = 0;
  asio::post(loop, [&] { ++posted; });  // a type of this file only
  for (int i = 0; i < 100; ++i) {
    library::post(loop, [&] { ++posted; });
    program::post(loop, [&] { ++posted; });
  }
  loop.run();
  loop.restart();

  std::vector<std::unique_ptr<asio::steady_timer>> timers;
  int expired = 0, cancelled = 0;
  for (int i = 0; i < 40; ++i) {
    timers.push_back(std::make_unique<asio::steady_timer>(loop, std::chrono::milliseconds(i % 5)));
    const auto done = [&](Error error) { error ? ++cancelled : ++expired; };
    i % 2 == 0 ? library::wait(*timers.back(), done) : program::wait(*timers.back(), done);
  }
  timers[0]->expires_after(std::chrono::hours(1));  // cancels
  timers[1]->expires_after(std::chrono::hours(1));
  loop.run();
  loop.restart();
  for (int i = 0; i < 10; ++i) {
    timers[static_cast<size_t>(i)]->expires_after(std::chrono::hours(1));
    library::wait(*timers[static_cast<size_t>(i)], [](Error) {});  // destroyed with the loop
  }
  loop.poll();
  std::printf("posted %d, expired %d, cancelled %d\n", posted, expired, cancelled);
}
