// Standalone Asio under Boost's name, so that the same program tests both.
#pragma once
#include <asio.hpp>
#include <system_error>

namespace boost {
namespace asio = ::asio;
namespace system {
using std::system_error;
}
}  // namespace boost
