// A function's name out of the signature that compilers give for it: for people, who look for
// "net::session" and not for its return type, parameters and template arguments.
#pragma once

#include <string>
#include <string_view>

namespace skein {

// "boost::asio::awaitable<void> net::session(tcp::socket)"          -> "net::session"
// "void session(session(tcp::socket)::_Z7session3tcp.Frame*)" (g++) -> "session"
// "main(int, char**)::<lambda(int)>"                                -> "main::<lambda>"
// What is not a signature comes back as it is. Any bytes are allowed; cost: one pass.
std::string short_function_name(std::string_view signature);

}  // namespace skein
