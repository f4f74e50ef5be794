// Connections whose both ends are in the program, and wait to receive: neither has sent for long.
// An idle connection looks the same. If the only tasks that ever sent wait for these receives, none
// of them sends before the other does:
//
//   client:  co_await async_read(socket, header); co_await async_read(socket, checksum);
//   server:  co_await async_write(socket, header);  co_await async_read(socket, next_request);
#pragma once

#include <optional>
#include <vector>

#include "trace/ask/open_waiters.h"
#include "trace/ask/other_end.h"
#include "trace/ask/traffic.h"
#include "trace/ask/waits.h"

namespace skein {

struct MutualReceives {
  TaskIndex receive = no_index;  // that of the other end
  uint64_t since = 0;            // when either end has moved bytes last, or began to receive
  // Each end has received all that the other has sent, and all tasks that have ever sent on it have
  // ended, or wait for its receive.
  bool only_senders_wait = false;
  bool has_accepted = false;  // the other end has connected the socket
  // It has sent after it received last, or an earlier receive of this place followed another one
  // without a send between. Else the connection may be idle.
  bool expects_more = false;
};

// `receive` is pending at the end `own`, which is the socket `object`; `traffic` is by object.
// Empty unless a receive is pending at the other end, and no send at either, for at least a second,
// and for longer than any earlier pause. O(uses of both sockets * callers).
std::optional<MutualReceives> find_mutual_receives(const Subject& subject,
                                                   const OpenWaiters& waiters, TaskIndex receive,
                                                   uint32_t object, const BothEnds& ends,
                                                   const std::vector<Traffic>& traffic);

}  // namespace skein
