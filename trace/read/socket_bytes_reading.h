// How many bytes the program had sent and received by a TCP connection at some instant, by the
// kernel's account, which also has those of calls that no hook sees.
#pragma once

#include <cstdint>

#include "trace/read/task_id.h"

namespace skein {

// Bytes of calls that are no operations of the trace.
struct UnseenBytes {
  // Before the first operation that the trace has, or had before its ring wrapped.
  uint64_t sent_before = 0;
  uint64_t received_before = 0;
  // Since then, as far as the kernel was asked. UINT32_MAX: at least as many.
  uint32_t sent = 0;
  uint32_t received = 0;
};

struct SocketBytesReading {
  uint64_t time = 0;      // of the trace, ns
  uint32_t executor = 0;  // that asked
  TaskId socket = no_task;
  uint64_t sent = 0;  // since the connection began
  uint64_t received = 0;
  uint32_t unseen_sent = 0;  // as UnseenBytes::sent
  uint32_t unseen_received = 0;
  uint32_t state = 0;  // of the connection: TCP_ESTABLISHED is 1
};

}  // namespace skein
