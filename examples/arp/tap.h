// A wire to the kernel's own network stack: a TAP device in a network namespace of this process,
// removed when the process ends.
#pragma once
#include <cstdint>

#include "ipv4.h"

// Moves the process to a new network namespace and opens the wire; the kernel's end has the address
// `kernel`. Returns a non-blocking descriptor, one frame per read or write, or -1 (errno).
int open_tap(Ip kernel);

// Returns a non-blocking listening socket of the kernel's stack, or -1 (errno).
int listen_at(Ip address, uint16_t port);
