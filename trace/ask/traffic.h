// The peers of operations on sockets, and the bytes that these operations have moved.
//
// The bytes are those of the operations in the trace. Calls that no hook sees (a synchronous read)
// move bytes, too: the recorder asks the kernel for its counts now and then (unseen_bytes.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "trace/ask/waits.h"
#include "trace/read/socket_bytes_reading.h"

namespace skein {

struct Traffic {
  static constexpr int64_t never = INT64_MIN;
  uint64_t sent = 0;
  uint64_t received = 0;
  // When the last of them were, as EventRow::time; negative: before the trace.
  int64_t sent_at = never;
  int64_t received_at = never;
  bool of_kernel = false;  // the kernel's counts instead, which contain all bytes
  // That the operations have certainly not moved; empty: not known.
  std::optional<UnseenBytes> unseen = {};
  bool may_have_received = false;  // by the kernel's count

  // Whether the program has sent something, and has received nothing since, as far as known.
  bool awaits_reply() const;
};

// By object (Model::objects). In a ring, from the task table where that has it. O(events).
std::vector<Traffic> find_traffic(const Trace& trace, const Model& model);

// By task: the bytes that the operation has moved; 0: none, or it is no operation. O(events).
std::vector<uint64_t> find_moved(const Trace& trace, const Model& model);

// The object that the operation uses; null: none, or unknown.
const Model::Object* used_by(const Model& model, TaskIndex operation);
// The address of the peer of the socket that the operation uses; of a socket without a peer, its
// own. Empty: no socket, or unknown.
std::string_view peer_of(const Trace& trace, const Model& model, TaskIndex operation);

}  // namespace skein
