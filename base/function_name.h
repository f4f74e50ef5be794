// Extracts a function's name from a compiler's signature, without return type, parameters and
// template arguments, because users look for "net::session".
#pragma once

#include <string>
#include <string_view>

namespace skein {

// "boost::asio::awaitable<void> net::session(tcp::socket)"          -> "net::session"
// "void session(session(tcp::socket)::_Z7session3tcp.Frame*)" (g++) -> "session"
// "main(int, char**)::<lambda(int)>"                                -> "main::<lambda>"
// A string that is not a signature is returned unchanged. Any bytes are allowed. Cost: one pass.
std::string short_function_name(std::string_view signature);

// A name in a flame graph without the letter behind it, as flamegraph.pl defines them:
// "vfs_read_[k]" -> "vfs_read": k, kernel; i, inlined; j, compiled at run time; w, a waker; g,
// guest.
std::string_view without_annotation(std::string_view name);
// The letter; 0: none.
char annotation_of(std::string_view name);

}  // namespace skein
