// Coroutines of Asio that wait for channels, and for several operations together.
#ifdef IS_BOOST
#include <boost/asio.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/experimental/channel.hpp>
namespace asio = boost::asio;
using Code = boost::system::error_code;
#else
#include <asio.hpp>
#include <asio/experimental/awaitable_operators.hpp>
#include <asio/experimental/channel.hpp>
using Code = asio::error_code;
#endif

#include "detached.h"

using namespace asio::experimental::awaitable_operators;
using Channel = asio::experimental::channel<void(Code, int)>;

namespace {

asio::awaitable<void> receiver(Channel& channel) { co_await channel.async_receive(asio::use_awaitable); }
asio::awaitable<void> sender(Channel& channel) {
  for (int i = 0; i < 10; i++) co_await channel.async_send({}, i, asio::use_awaitable);
}
asio::awaitable<void> nap(asio::steady_timer::duration time) {
  asio::steady_timer timer(co_await asio::this_coro::executor, time);
  co_await timer.async_wait(asio::use_awaitable);
}
asio::awaitable<void> both(Channel& channel) {
  co_await (receiver(channel) && nap(std::chrono::seconds(5)));
}
asio::awaitable<void> first_of(Channel& channel) {
  co_await (receiver(channel) || nap(std::chrono::seconds(5)));
}

asio::awaitable<int> received(Channel& channel) { co_return co_await channel.async_receive(asio::use_awaitable); }
asio::awaitable<void> values(Channel& channel) {
  auto [first, second] = co_await (received(channel) && received(channel));
  std::printf("%d", first + second);
}
asio::awaitable<void> value_or_timeout(Channel& channel) {
  const auto result = co_await (received(channel) || nap(std::chrono::hours(5)));
  std::printf("%d", static_cast<int>(result.index()));
}
asio::awaitable<void> spawning(Channel& channel) {
  co_await co_spawn(co_await asio::this_coro::executor, receiver(channel), asio::use_awaitable);
}

// Their groups are beside each other in memory.
asio::awaitable<void> naps() { co_await (nap(std::chrono::hours(1)) && nap(std::chrono::hours(2))); }
asio::awaitable<void> session(Channel& channel) {
  while (true) co_await (received(channel) || nap(std::chrono::hours(3)));
}

asio::awaitable<void> adding(asio::strand<asio::any_io_executor> strand) {
  co_await co_spawn(strand, nap(std::chrono::hours(4)), asio::use_awaitable);
}

}  // namespace

int main() {
  asio::io_context context;
  Channel idle(context);
  Channel full(context, 2);
  asio::co_spawn(context, receiver(idle), asio::detached);
  asio::co_spawn(context, receiver(idle), asio::detached);
  asio::co_spawn(context, sender(full), asio::detached);
  asio::co_spawn(context, both(idle), asio::detached);
  asio::co_spawn(context, first_of(idle), asio::detached);
  asio::co_spawn(context, values(idle), asio::detached);
  asio::co_spawn(context, value_or_timeout(idle), asio::detached);
  asio::co_spawn(context, spawning(idle), asio::detached);
  asio::co_spawn(context, naps(), asio::detached);
  for (int i = 0; i < 3; i++) asio::co_spawn(context, session(idle), asio::detached);
  const asio::strand<asio::any_io_executor> strand(context.get_executor());
  for (int i = 0; i < 2; i++) asio::co_spawn(context, adding(strand), asio::detached);
  context.run_for(std::chrono::milliseconds(50));

  for (int i = 0; i < 5; i++) waits("receiver", &idle, "channel");
  waits("sender", &full, "channel");
  for (int i = 0; i < 6; i++) waits("received", &idle, "channel");
  joins("both", 2, 2);
  joins("values", 2, 2);
  joins("value_or_timeout", 2, 2);
  joins("first_of", 2, 2);
  joins("naps", 2, 2);
  joins("session", 6, 6);
  awaits("spawning", "receiver");
  awaits("adding", "nap");
  ready();
}
