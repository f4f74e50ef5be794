// Connections whose both ends are in the program, and wait to send, while no task is left that
// reads: a deadlock through the buffers of the kernel.
//
//   client:  for (const Item& item : all) co_await async_write(socket, item);  // full
//   server:  co_await async_write(socket, answer);                             // full
#pragma once

#include <optional>

#include "trace/ask/open_waiters.h"
#include "trace/ask/other_end.h"
#include "trace/ask/waits.h"

namespace skein {

struct MutualSends {
  TaskIndex peer = no_index;       // waits for the send at the other end
  TaskIndex send = no_index;       // that send
  TaskIndex last_read = no_index;  // the last receive from this end; no_index: there was none
  uint64_t since = 0;              // when the later of both sends began
};

// `send` is pending at the end `own`. Empty unless a coroutine waits for each of the two sends, no
// receive is pending, and the tasks that received last have ended, or are among those that wait for
// the send of their end. An end that has never received anything is one, not both: its task sends
// all before it reads. O(tasks that wait for it).
std::optional<MutualSends> find_mutual_sends(const Subject& subject, const OpenWaiters& waiters,
                                             TaskIndex send, const BothEnds& ends);

}  // namespace skein
