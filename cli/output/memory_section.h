// What `skein ps` and `skein why` add about the memory of a process that records: coroutines that
// the trace does not have, and other disagreements.
#pragma once

#include <string>

#include "cli/input/memory_check.h"
#include "report/json.h"
#include "report/live_tasks.h"

namespace skein::cli {

// Empty if there is nothing to say. Names are escaped.
std::string memory_section_text(const MemoryCheck& check, size_t columns);

// The member `memory` of docs/json.md; null if memory was not searched.
Json memory_section_json(const MemoryCheck& check);

// Adds the places of coroutines that wait where the trace has none.
void add_places(const MemoryCheck& check, LiveTaskList& list);

}  // namespace skein::cli
