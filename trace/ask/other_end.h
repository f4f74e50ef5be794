// Connections whose both ends are sockets of the program that the trace is of.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "trace/ask/waits.h"
#include "trace/read/trace.h"

namespace skein {

// The last operations of a socket, which may have completed; no_index: there was none, or its
// events are overwritten.
struct LastTransfers {
  TaskIndex sends = no_index;
  TaskIndex receives = no_index;
};

struct BothEnds {
  LastTransfers own;
  LastTransfers other;
  uint32_t object = Model::Object::none;  // the other end
};

// The task that did the last operation of a socket, or one that waited for it, if no operation of
// it is pending and that task waits for something else. no_index: it has ended, runs, or is
// unknown.
TaskIndex find_session(const Subject& subject, const LastTransfers& socket);

// `trace` and `model` must outlive it.
class OtherEnds {
 public:
  OtherEnds(const Trace& trace, const Model& model);  // O(objects + concerns)

  // Of a socket, by its index in Model::objects. Empty: it has no known peer, or the peer is not a
  // socket of the trace that is open.
  std::optional<BothEnds> find(uint32_t socket) const;

 private:
  const Trace& trace_;
  const Model& model_;
  std::vector<LastTransfers> last_;                                    // by object
  std::unordered_map<std::string_view, uint32_t> by_connection_ = {};  // the last of each
};

}  // namespace skein
