// Explains what did not wake a task: a notification, a cancel of a timer, the release of a lock.
#pragma once

#include "report/sentence.h"
#include "trace/ask/why.h"

namespace skein {

// Appends the explanation. Precondition: the verdict is NeverNotified, LostWakeup of a resource, a
// timer or a task, Deadlock, NeverReleased or NeverExpires.
void explain_wakeup(const Subject& subject, const Diagnosis& diagnosis, Sentence& out);

}  // namespace skein
