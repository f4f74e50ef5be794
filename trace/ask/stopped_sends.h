// Sockets on which each run of a repeated handler started a send, and then none any more, although
// the handler went on and the peer, in the same program, waits to receive: a queue whose writer was
// not started again.
//
//   queue_.push_back(quote);
//   if (was_empty) do_write();  // its handler pops, and must continue while the queue has more
#pragma once

#include <cstdint>
#include <vector>

#include "trace/ask/waits.h"

namespace skein {

struct StoppedSends {
  TaskIndex last = no_index;              // the last send
  TaskIndex starter = no_index;           // the handler that started it
  uint32_t object = Model::Object::none;  // the socket
  uint64_t with = 0;     // handlers like that, one after the other, that started a send
  uint64_t without = 0;  // and those since, that did not
};

// Of sockets that are open. A feed that has nothing new looks the same. O(concerns + runs of such
// handlers).
std::vector<StoppedSends> find_stopped_sends(const Subject& subject);

}  // namespace skein
