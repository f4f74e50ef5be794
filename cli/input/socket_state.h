// What the kernel knows about the sockets of a running process that its tasks wait for.
#pragma once

#include <string>
#include <vector>

#include "target/sockets.h"
#include "trace/ask/why.h"

namespace skein::cli {

// Completes the diagnoses whose last operation is pending on a TCP socket of the process.
void add_socket_states(const std::string& pid, const Subject& subject,
                       std::vector<Diagnosis>& found);

// The same with the states of the sockets.
void add_socket_state(const std::vector<SocketState>& sockets, const Subject& subject,
                      Diagnosis& diagnosis);

}  // namespace skein::cli
