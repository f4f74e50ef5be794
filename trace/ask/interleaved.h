// Sends of two tasks on one socket whose bytes are mixed: while an operation of several parts
// (async_write) waits to send its next one, another task sends. Its peer reads a damaged message.
//
//   co_await async_write(socket, picture);  // the session: part by part
//   co_await async_write(socket, status);   // a timer's task, on the same socket
//
// A program that sends single parts itself may mix them as it likes: those are not found.
#pragma once

#include <vector>

#include "trace/ask/waits.h"

namespace skein {

struct Interleaved {
  TaskIndex first = no_index;   // the send that began first, with parts before or after it
  TaskIndex second = no_index;  // that of the other task, which began while the first was pending
  uint32_t object = Model::Object::none;  // the socket
  uint64_t count = 0;                     // so many pairs of sends at these two places
};

// The first pair of each two places, by time. Both sends have moved bytes, or the first is pending
// and has been preceded by a part that has. O(events + uses of sockets * sends pending at once).
std::vector<Interleaved> find_interleaved(const Subject& subject);

}  // namespace skein
