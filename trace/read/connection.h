// The addresses of a socket as text, in which form events and objects have them:
//
//   127.0.0.1:40000 > [2001:db8::1]:443 (tcp, netns 1)
//   0.0.0.0:8080 (tcp, netns 1)
//   /run/postgresql/.s.PGSQL.5432 (unix)
#pragma once

#include <skein/format.h>

#include <string>
#include <string_view>

namespace skein {

// `path` is that of a UNIX socket, which is not escaped.
std::string connection_text(const format::Connection& connection, std::string_view path);
// The address of the peer in such a text, else that of the socket itself.
std::string_view peer_in(std::string_view connection);
// The same connection as the peer has it: with the two addresses exchanged. Empty: there is no peer
// in such a text, or it has only a path.
std::string connection_of_peer(std::string_view connection);
// Whether there is a peer in such a text, or a path.
bool has_peer(std::string_view connection);

}  // namespace skein
