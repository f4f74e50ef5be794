// Explains what threads do: tasks that run for long, and those that do not run although they could.
#pragma once

#include "report/sentence.h"
#include "trace/ask/why.h"

namespace skein {

// Appends the explanation. Precondition: the verdict is Running or Starved.
void explain_thread(const Subject& subject, const Diagnosis& diagnosis, Sentence& out);

}  // namespace skein
