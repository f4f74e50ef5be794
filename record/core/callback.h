// Finds where a callback is written in the text of a type, as a compiler writes it in
// __PRETTY_FUNCTION__. The type is that of a library's operation, which contains the callback's:
//
//   g++    [with _Operation = boost::asio::detail::wait_handler<Link::retry()::<lambda(int)>, ...>]
//   clang  [_Operation = boost::asio::detail::wait_handler<(lambda at src/link.cc:30:21), ...>]
//
// It is the last lambda that does not belong to a library (the C++ library, Boost, Asio), else the
// class of the member function that the callback is bound to, else the class of the callback if it
// is the operation's first template argument. g++ states no line, clang no function.
#pragma once
#include <stddef.h>
#include <stdint.h>

namespace skein::record {

// Parts of the text. Empty, or 0: unknown.
struct Callback {
  const char* function = nullptr;
  size_t function_size = 0;
  const char* file = nullptr;
  size_t file_size = 0;
  uint32_t line = 0;
};

// Precondition: the text is not null. Any text is allowed: one that is not understood has no
// callback. Linear time, except for a text of many lambdas of libraries.
Callback callback_of(const char* type);

}  // namespace skein::record
