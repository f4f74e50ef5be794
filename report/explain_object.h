// Explains a wait for an object of a library or the program, of which the trace has the address.
#pragma once

#include "report/sentence.h"
#include "trace/ask/why.h"

namespace skein {

// Appends the explanation. Precondition: `diagnosis` has `awaited`, and the verdict is Unknown,
// LostWakeup with `forgotten`, or Deadlock with `relocked`.
void explain_object(const Subject& subject, const Diagnosis& diagnosis, Sentence& out);

}  // namespace skein
