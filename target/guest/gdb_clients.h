// Whether a gdb server on this machine has a client.
//
// A server has one client at a time, but the kernel completes the connection of another one. QEMU
// accepts it when the first client is gone, and stops its guest for it - also if the second client
// has given up long ago, and then none lets the guest go on. So such a connection is not begun.
#pragma once

#include <sys/socket.h>

namespace skein {

// `address` is that of the server, TCP or Unix. False: it has none, or that is unknown, as on
// another machine or in another network namespace. Reads /proc/net.
bool has_client(const sockaddr* address, socklen_t size);

}  // namespace skein
