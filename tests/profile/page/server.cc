// A small server of prices, as strangers write them: Asio, coroutines, nothing of skein. And its
// clients.
//
//   server serve SECONDS        prints the port, and serves for that long
//   server load PORT SECONDS    clients, until the server ends
//
// A request is a line, "quote ITEMS" or "report". Nothing but `listen`, `session`, `answer`,
// `quote`, `report`, `query` and `refresh` are coroutines: the flame graph of the page must show
// them, not Asio's loop.
#include <algorithm>
#include <asio.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace shop {

using asio::awaitable;
using asio::co_spawn;
using asio::detached;
using asio::use_awaitable;
using asio::ip::tcp;
using namespace std::chrono_literals;

using Rows = std::vector<unsigned>;

[[gnu::noinline]] unsigned price_of(unsigned item) {
  unsigned price = item;
  for (unsigned i = 0; i < 12000; i++) price = price * 1664525 + (price >> 13) + i;
  return price;
}

[[gnu::noinline]] Rows read_rows(unsigned seed) {
  Rows rows(12000);
  for (unsigned& row : rows) row = seed = seed * 1664525 + 1013904223;
  return rows;
}

[[gnu::noinline]] void sort_rows(Rows& rows) { std::sort(rows.begin(), rows.end()); }

[[gnu::noinline]] std::string render(const Rows& rows) {
  std::string text;
  for (size_t i = 0; i < rows.size(); i += 4)
    text += std::to_string(rows[i]) + (i % 32 == 0 ? ";" : ",");
  return text + "\n";
}

awaitable<Rows> query(unsigned seed) {
  asio::steady_timer database(co_await asio::this_coro::executor, 300us);
  co_await database.async_wait(use_awaitable);
  Rows rows = read_rows(seed);
  sort_rows(rows);
  co_return rows;
}

awaitable<std::string> report(unsigned seed) {
  const Rows rows = co_await query(seed);
  co_return render(rows);
}

awaitable<std::string> quote(unsigned items) {
  unsigned total = 0;
  for (unsigned item = 0; item < items; item++) total += price_of(item);
  co_return std::to_string(total) + "\n";
}

awaitable<std::string> answer(std::string_view request) {
  if (request.starts_with("quote "))
    co_return co_await quote(static_cast<unsigned>(std::atoi(request.data() + 6)));
  co_return co_await report(static_cast<unsigned>(request.size()));
}

awaitable<void> session(tcp::socket socket) {
  std::string text;
  for (;;) {
    const size_t size =
        co_await asio::async_read_until(socket, asio::dynamic_buffer(text), '\n', use_awaitable);
    const std::string response = co_await answer(std::string_view(text).substr(0, size));
    text.erase(0, size);
    co_await asio::async_write(socket, asio::buffer(response), use_awaitable);
  }
}

awaitable<void> listen(tcp::acceptor acceptor) {
  for (;;) {
    tcp::socket socket = co_await acceptor.async_accept(use_awaitable);
    co_spawn(acceptor.get_executor(), session(std::move(socket)), detached);
  }
}

awaitable<void> refresh() {
  asio::steady_timer timer(co_await asio::this_coro::executor);
  for (;;) {
    timer.expires_after(20ms);
    co_await timer.async_wait(use_awaitable);
    Rows rows = read_rows(7);
    for (int i = 0; i < 4; i++) sort_rows(rows);
  }
}

using Clock = std::chrono::steady_clock;
Clock::time_point after(const char* seconds) {
  return Clock::now() + std::chrono::milliseconds(static_cast<long>(1000 * std::atof(seconds)));
}

void serve(Clock::time_point end) {
  asio::io_context context;
  tcp::acceptor acceptor(context, {asio::ip::address_v4::loopback(), 0});
  std::printf("%d\n", acceptor.local_endpoint().port());
  std::fflush(stdout);
  co_spawn(context, listen(std::move(acceptor)), detached);
  co_spawn(context, refresh(), detached);
  std::thread second([&] { context.run_until(end); });
  context.run_until(end);
  second.join();
}

void load(int port, unsigned number, Clock::time_point end) try {
  asio::io_context context;
  tcp::socket socket(context);
  socket.connect({asio::ip::address_v4::loopback(), static_cast<unsigned short>(port)});
  std::string text;
  while (Clock::now() < end) {
    asio::write(socket, asio::buffer(std::string(number % 3 == 0 ? "report\n" : "quote 40\n")));
    text.erase(0, asio::read_until(socket, asio::dynamic_buffer(text), '\n'));
    std::this_thread::sleep_for(std::chrono::milliseconds(1 + number % 4));
  }
} catch (const std::exception&) {
}  // the server has ended

}  // namespace shop

int main(int count, char** words) {
  if (count == 3 && words[1] == std::string_view("serve")) {
    shop::serve(shop::after(words[2]));
  } else if (count == 4 && words[1] == std::string_view("load")) {
    const auto end = shop::after(words[3]);
    std::vector<std::thread> clients;
    for (unsigned i = 0; i < 6; i++) clients.emplace_back(shop::load, std::atoi(words[2]), i, end);
    for (std::thread& client : clients) client.join();
  } else {
    return 2;
  }
}
