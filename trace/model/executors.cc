#include "trace/model/executors.h"

#include <algorithm>

#include "trace/model/order.h"

namespace skein {

namespace {
// An event loop that switches from one task to the next does not sleep, ns.
constexpr uint64_t shortest_gap = 1000;
}  // namespace

void Executors::run(uint32_t executor, TaskIndex task, uint64_t time) {
  State& state = states_[executor];
  if (state.asleep) {
    state.after_sleep = no_index;
    wake(executor, time);
  }
  if (state.task == task) return;
  if (state.task != no_index) close(state, time);
  add_gap(executor, time);
  state.task = task;
  state.activation = model_.activations.size();
  model_.activations.push_back({.start = time, .end = time, .task = task, .executor = executor});
}

void Executors::stop(uint32_t executor, uint64_t time) {
  State& state = states_[executor];
  if (state.asleep) {
    state.after_sleep = no_index;
    wake(executor, time);
  }
  if (state.task == no_index) return;
  close(state, time);
  state.free_since = time;
}

void Executors::sleep(uint32_t executor, uint64_t time, StringId reason) {
  State& state = states_[executor];
  if (state.asleep) return;
  state.after_sleep = is_own_trace_ ? state.task : no_index;
  if (state.task != no_index) close(state, time);
  state.asleep = state.records_sleep = true;
  state.free_since = never;
  state.sleep = model_.sleeps.size();
  model_.sleeps.push_back({.start = time, .end = time, .reason = reason, .executor = executor});
}

void Executors::wake(uint32_t executor, uint64_t time) {
  State& state = states_[executor];
  if (!state.asleep) return;
  state.asleep = false;
  model_.sleeps[state.sleep].end = time;
  if (state.after_sleep != no_index) run(executor, state.after_sleep, time);
}

void Executors::pause(uint32_t executor, uint64_t time, uint64_t duration, StringId reason) {
  model_.pauses.push_back({.start = time - std::min(time, duration),
                           .end = time,
                           .reason = reason,
                           .executor = executor});
}

void Executors::end_thread(uint32_t executor, uint64_t time) {
  stop(executor, time);
  add_gap(executor, time);
}

// A task is not current beyond its end, whatever the events.
void Executors::close(State& state, uint64_t time) {
  Model::Task& task = model_.tasks[state.task];
  uint64_t end = time;
  if (task.how == Model::End::Open)
    task.end = std::max(task.end, time);
  else
    end = std::min(end, task.end);
  state.task = no_index;
  if (Model::Activation& activation = model_.activations[state.activation]; end > activation.start)
    activation.end = end;
  else if (state.activation + 1 == model_.activations.size())
    model_.activations.pop_back();
  else {
    activation.task = no_index;
    holes_ = true;
  }
}

void Executors::add_gap(uint32_t executor, uint64_t time) {
  State& state = states_[executor];
  if (state.free_since != never && time - state.free_since >= shortest_gap)
    gaps_.push_back({.start = state.free_since, .end = time, .executor = executor});
  state.free_since = never;
}

void Executors::finish(uint64_t time) {
  for (uint32_t executor = 0; executor < states_.size(); executor++) {
    State& state = states_[executor];
    state.after_sleep = no_index;
    wake(executor, time);
    if (state.task != no_index) close(state, time);
    add_gap(executor, time);
  }
  if (holes_) std::erase_if(model_.activations, [](const auto& a) { return a.task == no_index; });
  if (is_own_trace_)
    for (const Model::ExecutorInterval& gap : gaps_)
      if (!states_[gap.executor].records_sleep) model_.sleeps.push_back(gap);
  order_by_start(model_.sleeps);
}

}  // namespace skein
