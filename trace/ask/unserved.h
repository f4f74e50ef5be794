// Tasks that wait since another one failed, because it was the only one that ended such waits: the
// only task that took from the queue to which they push.
//
//   std::vector<UnreadFailure> failures = unread_failures(subject);
//   add_unserved(subject, diagnose_all(trace, model, waits), failures);
//
// A queue of a library or the program has no events. Its two sides differ in what they await: the
// operations of an Asio channel; the types of the awaiters of one object; or the member functions
// of one class, which await objects of one type beside each other.
#pragma once

#include <span>
#include <vector>

#include "trace/ask/failures.h"
#include "trace/ask/why.h"

namespace skein {

// Sets UnreadFailure::unserved. Only for failures that no peer may have caused, of tasks none of
// which is there instead, and for waits that have lasted for a second since. Nothing if a ring may
// have overwritten other tasks. O(events + diagnoses * uses of their objects).
void add_unserved(const Subject& subject, std::span<const Diagnosis> diagnoses,
                  std::vector<UnreadFailure>& failures);

}  // namespace skein
