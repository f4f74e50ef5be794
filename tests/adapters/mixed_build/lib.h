// A library that uses Asio, and the functions of its program that do the same: both instantiate the
// same templates, of which the linker keeps one copy.
#pragma once
#include <utility>  // Boost 1.74's awaitable.hpp uses it without including it
//
#include <boost/asio.hpp>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <system_error>

#ifdef ASIO_STANDALONE
using Error = std::error_code;
#else
using Error = boost::system::error_code;
#endif
#ifndef ASIO_STANDALONE  // then `asio` is its name
namespace asio = boost::asio;
#endif

// The layout of plain Asio, in every source.
static_assert(sizeof(asio::detail::scheduler_operation) == 3 * sizeof(void*));
static_assert(std::is_empty_v<asio::use_awaitable_t<>>);

#define ACTIONS(where)                                                                 \
  namespace where {                                                                    \
  asio::awaitable<int> sleep(int ms);                                                  \
  asio::awaitable<std::string> exchange(std::string text); /* through a socket pair */ \
  void wait(asio::steady_timer& timer, std::function<void(Error)> done);               \
  void post(asio::io_context& loop, std::function<void()> done);                       \
  }
ACTIONS(library)
ACTIONS(program)
