#include "trace/ask/diagnosis.h"

#include <array>

#include "trace/ask/handler_queue.h"
#include "trace/ask/invoked.h"

namespace skein {

std::string_view name(Verdict verdict) {
  constexpr std::array<std::string_view, verdicts> names = {
      "ok",      "never notified", "lost wake-up",  "deadlock", "never released", "external wait",
      "starved", "cancelled",      "never started", "unknown",  "never expires",  "running"};
  return names[static_cast<size_t>(verdict)];
}

bool Diagnosis::is_error() const {
  if (is_unreported) return false;
  if (is_asleep) return true;
  switch (verdict) {
    case Verdict::LostWakeup:
      if (forgotten) return true;
      if (is_last && is_alone) return true;  // whatever the reason, it is stuck
      // A task that waits again, or was created later, may check the condition before it waits.
      // A thread that does something else may cancel the timer again.
      if (cancel != Model::Object::none && !is_hopeless()) return expected;
      return (!waited_before && !created_after) || expected;
    case Verdict::Starved:
      return (starved >= starvation_error_ns && signal == no_index && !is_usual_delay &&
              !is_pool_delay) ||
             expected;
    case Verdict::Deadlock:
    case Verdict::NeverReleased:
    case Verdict::Cancelled:
      return true;
    case Verdict::Ok:
      return false;
    case Verdict::NeverExpires:
      return (is_last && is_alone) || expected;
    case Verdict::External:
      return closed != no_index || should_have_ended || (is_last && is_alone) || expected;
    case Verdict::NeverNotified:
    case Verdict::NeverStarted:
    case Verdict::Unknown:
      return expected;
    case Verdict::Running:
      // Jobs may queue in a thread pool, including those that a job has posted and does not wait for.
      return expected ||
             (pool && (pool->context != thread_pool || !pool->strands.empty()));
  }
  return false;
}

uint64_t ready_since(const Model& model, const Waits& waits, const Diagnosis::Step& step) {
  if (step.wait != Waits::none) return waits.waits[step.wait].ready;
  const Model::Concern* use = model.concern(step.task);
  return use != nullptr && use->expires != 0 ? use->expires : model.tasks[step.task].start;
}

TaskIndex target_of(const Subject& e, const Diagnosis& d, size_t index) {
  const Diagnosis::Step& step = d.chain[index];
  if (step.holding == Waits::none && step.wait == Waits::none) return no_index;
  if (index + 1 < d.chain.size()) return d.chain[index + 1].task;
  if (d.is_cycle()) return d.chain[d.cycle_begin].task;
  if (step.wait == Waits::none || e.waits.waits[step.wait].on == no_index) return no_index;
  return e.model.last_self(e.waits.waits[step.wait].on);
}

NearLocation location_near(const Subject& e, TaskIndex task, uint64_t time) {
  for (uint32_t i = e.waits.last_wait[task]; i != Waits::none; i = e.waits.waits[i].before)
    if (e.waits.waits[i].end <= time && e.waits.waits[i].location != 0)
      return {.location = e.waits.waits[i].location, .is_after = true};
  return {.location = e.model.tasks[task].location};
}

NearLocation near_location_of(const Subject& e, const Diagnosis::Step& step) {
  if (step.holding != Waits::none && e.waits.holdings[step.holding].location != 0)
    return {.location = e.waits.holdings[step.holding].location};
  if (step.wait != Waits::none && e.waits.waits[step.wait].location != 0)
    return {.location = e.waits.waits[step.wait].location};
  if (step.wait == Waits::none && step.holding == Waits::none && e.waits.running[step.task])
    if (const NearLocation near = location_near(e, step.task, e.model.end); near.location != 0)
      return near;
  return {.location = location_of_invoked(e, step.task)};
}

uint32_t location_of(const Subject& e, const Diagnosis::Step& step) {
  return near_location_of(e, step).location;
}

bool is_end_known(const Model& model) {
  return model.events != 0 && (model.end > model.last_event || model.is_live);
}

int64_t since(const Subject& e, const LiveTaskFinder& live, const Diagnosis::Step& step) {
  const Model::Task& task = e.model.tasks[step.task];
  if (task.how == Model::End::Open && (!task.is_resource || step.holding != Waits::none))
    return live.find(step.task).since;
  const uint64_t time = step.holding != Waits::none ? e.waits.holdings[step.holding].begin
                        : step.wait != Waits::none  ? e.waits.waits[step.wait].begin
                        : task.is_resource          ? task.start
                                                    : task.end;
  const LiveTaskEntry* entry = time == 0 ? e.trace.find_live_task(task.id) : nullptr;
  if (entry != nullptr && entry->since < 0) return entry->since;
  return static_cast<int64_t>(std::min<uint64_t>(time, INT64_MAX));
}

}  // namespace skein
