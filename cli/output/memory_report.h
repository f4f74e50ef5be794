// What `skein ps` and `skein why` print of the memory of a process that records, in addition to its
// trace: what --stop, --locals and --group request, and the section on disagreements.
//
//   const MemoryReport memory = read_memory(request, false);
//   print(live_tasks_text(...) + memory_text(memory, columns));
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/input/memory_check.h"
#include "cli/input/thread_stacks.h"
#include "cli/output/unprepared_report.h"
#include "report/json.h"
#include "report/live_tasks.h"

namespace skein::cli {

struct MemoryReport {
  MemoryCheck check = {};
  bool has_locals = false;
};

// Reads the memory of a process that records. Its size does not matter if `whatever_size`, or if
// something is requested that only memory shows. Throws CommandError(2) if that cannot be read.
MemoryReport read_memory(const UnpreparedRequest& request, bool whatever_size);

// Throws CommandError(2) if something is requested that a trace does not have.
void refuse_without_memory(const UnpreparedRequest& request);

// Empty if there is nothing to print. Names are escaped.
std::string memory_text(const MemoryReport& memory, size_t columns);
// The same for `skein why`: with the holders of locks.
std::string memory_why_text(const MemoryReport& memory, size_t columns);
// Whether coroutines certainly wait for each other's locks.
bool shows_deadlock(const MemoryReport& memory);
void add_memory_json(const MemoryReport& memory, Json& to);

// The coroutines in memory as one tree, and the other tasks of the trace as the usual list.
std::string grouped_tasks_text(const MemoryReport& memory, const LiveTaskList& live,
                               const LiveTaskLayout& layout, size_t columns);

}  // namespace skein::cli
