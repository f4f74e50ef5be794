#include "trace/ask/end_state.h"

#include "trace/ask/abandoned.h"
#include "trace/ask/torn_down.h"

namespace skein {

namespace {

TaskIndex same_task(const Model& from, const Model& to, TaskIndex task) {
  if (task >= from.tasks.size()) return no_index;
  const TaskId id = from.tasks[task].id;
  return task < to.tasks.size() && to.tasks[task].id == id ? task : to.find(id);
}

}  // namespace

EndState::EndState(const Subject& whole, bool is_live) {
  if (const uint64_t begin = is_live ? UINT64_MAX : teardown_begin(whole); begin != UINT64_MAX) {
    teardown_ = begin;
    model_ = build_model(whole.trace, {.simplify = false, .before = begin});
    waits_ = find_waits(whole.trace, *model_);
  }
  const Subject state = subject(whole);
  diagnoses_ = diagnose_all(state.trace, state.model, state.waits);
  if (teardown_ != 0) find_abandoned(state, diagnoses_);
  std::vector<bool> is_known(state.model.tasks.size());
  for (size_t i = 0; i < diagnoses_.size() && diagnoses_[i].is_error(); i++) {  // errors are first
    const auto add = [&](TaskIndex task) {
      if (!is_known[task]) stuck_.push_back({.task = task, .diagnosis = i});
      is_known[task] = true;
    };
    add(diagnoses_[i].chain.front().task);
    for (const TaskIndex task : diagnoses_[i].similar) add(task);
  }
}

TaskIndex EndState::in_whole(const Model& whole, TaskIndex task) const {
  return model_ ? same_task(*model_, whole, task) : task;
}

TaskIndex EndState::in_state(const Model& whole, TaskIndex task) const {
  return model_ ? same_task(whole, *model_, task) : task;
}

}  // namespace skein
