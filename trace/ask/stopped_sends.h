// Sockets on which each run of a repeated handler started a send, or each third one and so on, and
// then none any more, although the handler went on and the peer, in the same program, waits to
// receive: a queue whose writer was not started again.
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
  uint64_t every = 1;                     // each third of such handlers started a send: 3
  uint64_t with = 0;     // handlers like that, as regularly as that, that started a send
  uint64_t without = 0;  // and those since, that did not
};

// Of sockets that are open. If not each handler started one, at least ten must have, as regularly,
// and handlers since have started sends on other sockets, for ten times as long. A feed that has
// nothing new looks the same. O(concerns + runs of such handlers).
std::vector<StoppedSends> find_stopped_sends(const Subject& subject);

}  // namespace skein
