// Chains of callbacks that were not continued: an operation on a socket completed, its handler
// started nothing, and no operation has used the socket since, although it is open. Other
// operations of the same place were followed by one. Or a timer that its handler re-armed several
// times, and then no longer. Or a task cancelled the receive of a socket, which was not started
// again, while sends went on. Or a repeated handler started a send each time, and then no longer.
//
//   for (const BrokenChain& chain : broken_chains({trace, model, waits}))
//     print(model.tasks[chain.last].name, chain.count);
#pragma once

#include <cstdint>
#include <vector>

#include "trace/ask/waits.h"

namespace skein {

struct BrokenChain {
  TaskIndex last = no_index;  // the last operation on the object, the first of its group
  uint32_t object = Model::Object::none;  // a socket, or a timer
  bool is_timer = false;
  uint64_t count = 0;      // objects whose last operation has the same name and place
  uint64_t continued = 0;  // operations of that name and place whose handler started something
  // If `last` is a receive that was cancelled: its cancel (Model::cancels), and the number of
  // operations that the socket has begun since.
  uint32_t cancel = Model::Object::none;
  uint64_t later = 0;
  // If `last` is such a send (trace/ask/stopped_sends.h): the handler that started it. `continued`
  // handlers like that did, one after the other or each of `every`, and the `later` since did not.
  TaskIndex starter = no_index;
  uint64_t every = 1;
  // If `last` accepts: the open sockets of the program that have connected to this acceptor since,
  // and that no socket of the program is the other end of; the first of them.
  uint64_t unaccepted = 0;
  uint32_t first_unaccepted = Model::Object::none;
  uint64_t closed_since = 0;  // connections that it had accepted, and that were closed since
};

// By the time of the last operation. A socket that is kept open for later use looks the same, and
// so does a timer that has done its work: no error by itself. O(tasks + waits + interactions).
std::vector<BrokenChain> broken_chains(const Subject& subject);

}  // namespace skein
