// Diagnoses why a task does not end: follows the chain of targets to its end and classifies what is
// wrong there.
//
//   const Waits waits = find_waits(trace, model);
//   for (const Diagnosis& d : diagnose_all(trace, model, waits))
//     if (d.is_error()) print(d);
#pragma once

#include <span>
#include <vector>

#include "trace/ask/diagnosis.h"

namespace skein {

// Diagnoses all tasks that matter: those marked should_resolve (also destroyed ones that were
// waiting: programs that give up clean up) unless the chain of an error contains them, and those
// without a waiter. Similar diagnoses are merged (Diagnosis::similar). Errors first, external waits
// last, then by the start of the wait. None in a trace of a profile's samples.
std::vector<Diagnosis> diagnose_all(const Trace& trace, const Model& model, const Waits& waits);

// Diagnoses one task. It is an error if it is one in `all`, which diagnose_all() has returned; of a
// task that `all` does not report, if a task that is an error there waits for it. `similar` is
// empty.
Diagnosis diagnose(const Subject& subject, std::span<const Diagnosis> all, TaskIndex task);
// The same, for one query.
Diagnosis diagnose(const Trace& trace, const Model& model, const Waits& waits, TaskIndex task);

}  // namespace skein
