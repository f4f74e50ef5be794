// A trace in memory: what every reader produces and everything above consumes.
//
// Texts and source locations are ids: they are few and repeat. Nothing here knows a format; where a
// format has other events than the model, the format's names of events are kept as counts in
// TraceInfo::wire_kinds.
//
// Rejected: event kinds per format (every user would need one switch per format).
#pragma once

#include <cstdint>
#include <vector>

#include "trace/read/clock_reading.h"
#include "trace/read/events.h"
#include "trace/read/executor.h"
#include "trace/read/live_task_entry.h"
#include "trace/read/location.h"
#include "trace/read/loss.h"
#include "trace/read/module.h"
#include "trace/read/process.h"
#include "trace/read/stacks.h"
#include "trace/read/strings.h"
#include "trace/read/task_id.h"
#include "trace/read/trace_info.h"

namespace skein {

struct Trace {
  TraceInfo info;
  Events events;
  Strings strings;
  std::vector<Location> locations = {Location{}};  // [0]: unknown
  // At least one each. The first process is the recorded program, where there is one such.
  std::vector<Machine> machines = {Machine{}};
  std::vector<Process> processes = {Process{}};
  std::vector<Executor> executors;
  std::vector<StringId> kinds;  // names of the kinds of tasks, by Create's value; of resources too
  Stacks stacks;                // by Sample's value
  std::vector<ClockReading> clock_readings;  // by Clock's value
  std::vector<Module> modules;
  std::vector<Loss> losses;
  // By id, each once; only of a ring that has overwritten something.
  std::vector<LiveTaskEntry> live_tasks;

  // Null for one that was not, or of which nothing is known.
  const LiveTaskEntry* find_live_task(TaskId id) const;
  // Of an executor; null: it belongs to none, or does not exist.
  const Process* find_process(uint32_t executor) const;
  const Machine& machine_of(const Process& process) const;
};

// To its losses the events for which there was no memory (Events::dropped), if any: from `offset`
// of the file on nothing is there.
void add_dropped(Trace& trace, uint64_t offset);

}  // namespace skein
