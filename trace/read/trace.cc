#include "trace/read/trace.h"

#include <algorithm>

namespace skein {

const LiveTaskEntry* Trace::find_live_task(TaskId id) const {
  const auto at =
      std::lower_bound(live_tasks.begin(), live_tasks.end(), id,
                       [](const LiveTaskEntry& a, TaskId wanted) { return a.id < wanted; });
  return at != live_tasks.end() && at->id == id ? &*at : nullptr;
}

const AwaitedObject* Trace::find_awaited_object(size_t event) const {
  const auto at =
      std::lower_bound(awaited_objects.begin(), awaited_objects.end(), event,
                       [](const AwaitedObject& a, size_t wanted) { return a.event < wanted; });
  return at != awaited_objects.end() && at->event == event ? &*at : nullptr;
}

const Process* Trace::find_process(uint32_t executor) const {
  if (executor >= executors.size() || executors[executor].process >= processes.size())
    return nullptr;
  return &processes[executors[executor].process];
}

const Machine& Trace::machine_of(const Process& process) const {
  return machines[process.machine < machines.size() ? process.machine : 0];
}

void add_dropped(Trace& trace, uint64_t offset) {
  if (const uint64_t dropped = trace.events.dropped())
    add_loss(trace.losses, {.what = "not enough memory",
                            .offset = offset,
                            .bytes = 0,
                            .packets = 0,
                            .events = dropped});
}

}  // namespace skein
