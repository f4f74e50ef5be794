// The bytes of sockets that the kernel has counted, and that calls without an event have moved: a
// synchronous read.
//
// The bytes of an operation are known when its handler runs, but it may have moved them long before
// that. So each operation that began before a reading of the kernel's counts may have moved its
// bytes before that reading, too. What remains after these is certain. An operation that has not
// completed may have moved any number: then nothing is.
#pragma once

#include <optional>
#include <vector>

#include "trace/model/model.h"

namespace skein {

// What is certain. A loss of events makes everything uncertain: then all are 0.
struct CertainlyUnseen {
  UnseenBytes bytes = {};
  // The kernel has counted more received bytes, which may be those of operations.
  bool may_have_received = false;
};

// By object (Model::objects); empty: the kernel was not asked. Precondition: no packets of the
// trace are overwritten. `moved` is that of find_moved(). O(operations) if the trace has readings.
std::vector<std::optional<CertainlyUnseen>> find_unseen(const Trace& trace, const Model& model,
                                                        const std::vector<uint64_t>& moved);

// The same from the live task table of a ring, which only has the difference of the counts: it is
// certain if no operation of that direction is known.
CertainlyUnseen certain_of(const LiveTaskEntry::Traffic& traffic, const Trace& trace,
                           const Model& model, uint32_t object);

}  // namespace skein
