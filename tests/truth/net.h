// What the Asio programs share: names, and an event loop that its operator may stop.
#pragma once
#include <utility>  // missing in Boost 1.74's awaitable.hpp
// clang-format off
#include <boost/asio.hpp>
// clang-format on
#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "case.h"

namespace asio = boost::asio;
using asio::awaitable;
using asio::co_spawn;
using asio::detached;
using asio::steady_timer;
using asio::use_awaitable;
using asio::ip::tcp;
using boost::system::error_code;
using namespace std::chrono_literals;

inline tcp::endpoint loopback(unsigned short port = 0) {
  return {asio::ip::address_v4::loopback(), port};
}

// Other work of the same threads, in bursts.
class Chatter : public std::enable_shared_from_this<Chatter> {
 public:
  Chatter(asio::io_context& io, int count) : io_(io), pause_(io), left_(count) {}
  void burst() {
    for (int i = 0; i < 1000; ++i) asio::post(io_, [self = shared_from_this()] { --self->left_; });
    pause_.expires_after(2ms);
    pause_.async_wait([self = shared_from_this()](error_code error) {
      if (!error && self->left_ > 0) self->burst();
    });
  }

 private:
  asio::io_context& io_;
  steady_timer pause_;
  int left_;
};

// Runs the event loop on some threads until nothing is left to do, or the operator stops it.
inline void serve(asio::io_context& io, int threads = 1) {
  if (truth::noise() > 0) std::make_shared<Chatter>(io, truth::noise())->burst();
  std::vector<std::thread> others;
  for (int i = 1; i < threads; ++i) others.emplace_back([&io] { truth::run(io); });
  truth::run(io);
  for (std::thread& other : others) other.join();
}

inline awaitable<void> pause(std::chrono::steady_clock::duration time) {
  steady_timer timer(co_await asio::this_coro::executor, time);
  co_await timer.async_wait(use_awaitable);
}
