// Explains waits for what is outside the program: timers, signals, and sockets with what their peer
// does.
#pragma once

#include "report/sentence.h"
#include "trace/ask/why.h"

namespace skein {

// Appends the explanation. Precondition: the verdict is External.
void explain_external(const Subject& subject, const Diagnosis& diagnosis, Sentence& out);

}  // namespace skein
