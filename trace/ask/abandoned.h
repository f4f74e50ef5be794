// Tasks that the end of their program cut short: all others of their kind have ended by themselves.
// A job was lost, unless it does not matter.
#pragma once

#include <vector>

#include "trace/ask/diagnosis.h"

namespace skein {

// Sets Diagnosis::others_ended, and makes it a suspect: if it waits for no socket, ten tasks or
// more of the same function and place have ended by themselves, and those that have not are all in
// the diagnosis. `found` are those of the state in which the program began to destroy its tasks;
// keeps the order by suspicion. O(tasks), if there is a task that could be one.
void find_abandoned(const Subject& subject, std::vector<Diagnosis>& found);

}  // namespace skein
