// The connection on which a thread of a running process is blocked in a system call.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "target/sockets.h"
#include "trace/ask/waits.h"

namespace skein::cli {

// The rest of a sentence that begins with thread_state(): ", in recvmsg() on the connection to
// 127.0.0.1:80, whose acceptor is in this program". Empty if the thread is not in a call with a
// connection as its first argument, or the caller may not see that (it must be allowed to trace the
// process). `tid` is as for thread_state().
std::string blocked_call(const std::string& pid, uint64_t tid, const Subject& subject);

// The same from the line of /proc/PID/task/TID/syscall.
std::string describe_blocked_call(const std::string& line, const std::vector<SocketState>& sockets,
                                  const Subject& subject);

}  // namespace skein::cli
