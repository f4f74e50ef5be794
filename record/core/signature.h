// Shortens a function's signature, as compilers write it, until it fits in a string of the trace:
//
//   boost::asio::awaitable<void, boost::asio::execution::any_executor<...> > serve(tcp::socket)
//
// has 600 bytes before the name, which would be cut.
#pragma once
#include <stddef.h>

namespace skein::record {

// Copies a text without its template arguments, up to `room` bytes, without a terminating 0. The
// parameters of a lambda are kept: "f<int>()::<lambda(a<int>)>" becomes "f()::<lambda(a)>".
// Returns the number of bytes.
size_t copy_without_template_arguments(const char* text, char* to, size_t room);

}  // namespace skein::record
