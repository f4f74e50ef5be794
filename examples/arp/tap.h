// A wire to the kernel's own network stack: a TAP device in a network namespace of this process,
// which is gone when it ends.
#pragma once
#include <cstdint>

#include "ipv4.h"

// The other end of the wire, where the kernel has `kernel`; a read or write is a frame; does not
// block. -1: not allowed here (errno). From here on the process is in the namespace.
int open_tap(Ip kernel);

// A listening socket of the kernel's, which does not block; -1: errno.
int listen_at(Ip address, uint16_t port);
