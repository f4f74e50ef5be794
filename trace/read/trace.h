// A trace in memory: what every reader produces and everything above consumes.
//
// Strings and source locations are ids: they are few and repeat. Nothing here depends on a format.
// If a format's events differ from the model's, TraceInfo::wire_kinds counts them by the format's
// own names.
//
// Rejected: event kinds per format (every user would need one switch per format).
#pragma once

#include <cstdint>
#include <vector>

#include "trace/read/awaited_object.h"
#include "trace/read/clock_reading.h"
#include "trace/read/cpu_time_reading.h"
#include "trace/read/events.h"
#include "trace/read/executor.h"
#include "trace/read/live_task_entry.h"
#include "trace/read/location.h"
#include "trace/read/loss.h"
#include "trace/read/module.h"
#include "trace/read/process.h"
#include "trace/read/socket_bytes_reading.h"
#include "trace/read/stacks.h"
#include "trace/read/strings.h"
#include "trace/read/task_id.h"
#include "trace/read/thread_state.h"
#include "trace/read/trace_info.h"

namespace skein {

struct Trace {
  TraceInfo info;
  Events events;
  Strings strings;
  std::vector<Location> locations = {Location{}};  // [0]: unknown
  // At least one each. The first process is the recorded program, if there is exactly one.
  std::vector<Machine> machines = {Machine{}};
  std::vector<Process> processes = {Process{}};
  std::vector<Executor> executors;
  std::vector<StringId> kinds;  // names of the kinds of tasks and resources, by Create's value
  Stacks stacks;                // by Sample's value
  std::vector<ClockReading> clock_readings;  // by Clock's value
  std::vector<Module> modules;
  std::vector<Loss> losses;
  // Sorted by id, without duplicates; empty unless it is a ring that has overwritten events.
  std::vector<LiveTaskEntry> live_tasks;
  std::vector<AwaitedObject> awaited_objects;    // by event
  std::vector<CpuTimeReading> cpu_times;         // of each thread in order
  std::vector<SocketBytesReading> socket_bytes;  // of each thread in order
  std::vector<ThreadStateChange> thread_states;  // of all threads, in order

  // What the Suspend or Ready with this index concerns; null: unknown, or a task or resource.
  const AwaitedObject* find_awaited_object(size_t event) const;
  // Returns the entry of a live task; null if the task is not live, or unknown.
  const LiveTaskEntry* find_live_task(TaskId id) const;
  // Returns the process of an executor; null if it has none, or the executor does not exist.
  const Process* find_process(uint32_t executor) const;
  const Machine& machine_of(const Process& process) const;
};

// Adds a loss for the events that were dropped for lack of memory (Events::dropped), if any:
// everything from `offset` in the file on is missing.
void add_dropped(Trace& trace, uint64_t offset);

}  // namespace skein
