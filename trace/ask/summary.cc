#include "trace/ask/summary.h"

#include <algorithm>

#include "base/stable_sort.h"
#include "trace/ask/live_tasks.h"
#include "trace/model/thread_intervals.h"

namespace skein {

namespace {

std::vector<std::pair<StringId, uint64_t>> count_counters(const Trace& trace) {
  const Events& events = trace.events;
  std::vector<uint64_t> updates(trace.strings.size());
  for (size_t begin = 0; begin < events.size(); begin += block_rows) {
    const auto kinds = events.kind.block(begin);
    for (size_t i = 0; i < std::min(block_rows, events.size() - begin); i++)
      if (kinds[i] == EventKind::CounterAdd || kinds[i] == EventKind::CounterSet)
        updates[events.text[begin + i]]++;
  }
  std::vector<std::pair<StringId, uint64_t>> counters;
  for (size_t id = 0; id < updates.size(); id++)
    if (updates[id]) counters.emplace_back(static_cast<StringId>(id), updates[id]);
  stable_sort(counters, [&](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second
                                : trace.strings[a.first] < trace.strings[b.first];
  });
  return counters;
}

}  // namespace

Summary summarize(const Trace& trace) {
  const Model model = build_model(trace, {.simplify = false});
  const Waits waits = find_waits(trace, model);
  return summarize({trace, model, waits});
}

Summary summarize(const Subject& subject) {
  const Trace& trace = subject.trace;
  const Model& model = subject.model;
  const Events& events = trace.events;
  const auto counts = count_kinds(events);
  Summary summary;
  summary.events = events.size();
  summary.kinds = trace.info.wire_kinds;
  if (summary.kinds.empty())
    for (size_t kind = 0; kind < event_kinds; kind++)
      if (counts[kind]) summary.kinds.emplace_back(name(EventKind(kind)), counts[kind]);
  for (TaskIndex index = 0; index < model.tasks.size(); index++) {
    const Model::Task& task = model.tasks[index];
    if (task.is_resource) continue;
    summary.tasks++;
    summary.ended += task.how != Model::End::Open;
    summary.waiting += is_waiting(task_state(subject, index));
    summary.failed += task.failed();
    summary.pre_existing += task.pre_existing;
    summary.created_twice += model.find(task.id) != index;
    summary.stuck += task.is_unresolved();
  }
  summary.live = summary.tasks - summary.ended;
  summary.labels = counts[static_cast<size_t>(EventKind::Label)];
  summary.resources = counts[static_cast<size_t>(EventKind::Resource)];
  summary.counters = count_counters(trace);
  if (!events.empty()) summary.span_ns = events.time[events.size() - 1] - events.time[0];
  const ThreadIntervals threads(trace);
  for (const ThreadInterval& one : threads.all()) {
    if (one.stack == ThreadInterval::no_stack) continue;
    summary.thread_waits++;
    summary.thread_waits_ns += one.end - one.begin;
  }
  for (const Loss& loss : trace.losses) summary.lost_events += loss.events.value_or(0);
  return summary;
}

}  // namespace skein
