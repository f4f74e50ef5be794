#include "trace/ask/own_locks.h"
#include "base/stable_sort.h"

#include <algorithm>
#include <compare>
#include <map>
#include <set>

namespace skein {

namespace {

// A coroutine function: the name and the place that all its tasks have in common.
struct Function {
  StringId name = 0;
  uint32_t location = 0;
  auto operator<=>(const Function&) const = default;
};

class Finder {
 public:
  explicit Finder(const Subject& subject)
      : model_(subject.model), waits_(subject.waits), waiters_(model_.tasks.size(), no_index) {
    for (const Waits::Wait& wait : waits_.waits)
      if (wait.is_open() && wait.on != no_index) waiters_[model_.last_self(wait.on)] = wait.task;
  }

  std::vector<OwnLockWait> find() {
    for (const Model::Concern& use : model_.concerns)
      if (use.expires == Model::Object::never && use.object != Model::Object::none &&
          model_.is_open(use.task))
        add(use);
    std::vector<OwnLockWait> found;
    for (const auto& [lock, group] : groups_)
      if (is_deadlock(lock, group))
        for (OwnLockWait one : group.holders) {
          one.was_released = was_released(lock);
          found.push_back(one);
        }
    stable_sort_by(found, [](const OwnLockWait& one) { return one.operation; });
    return found;
  }

 private:
  // The tasks that wait in calls of one function.
  struct Group {
    std::vector<OwnLockWait> holders;
    std::set<uint32_t> held_up;  // the timers that these wait for
    std::set<Function> callers;
    std::set<TaskIndex> waiters;  // callers that wait, also those that hold nothing
  };

  Function function_of(TaskIndex task) const {
    return {model_.tasks[task].name, model_.tasks[task].location};
  }

  // Finds the calls that led to the operation, from the innermost; any of them may be lock().
  void add(const Model::Concern& use) {
    TaskIndex callee = waiters_[use.task];
    for (int depth = 0; depth < deepest && callee != no_index; depth++) {
      const TaskIndex caller = waiters_[callee];
      if (caller == no_index) return;
      Group& group = groups_[function_of(callee)];
      group.callers.insert(function_of(caller));
      group.waiters.insert(caller);
      if (const uint32_t passed = passed_before(caller, callee); passed != Waits::none) {
        group.holders.push_back({.operation = use.task, .waiter = caller, .passed = passed});
        group.held_up.insert(use.object);
      }
      callee = caller;
    }
  }

  // The last earlier call of the function of `callee`, if it was at another line.
  uint32_t passed_before(TaskIndex caller, TaskIndex callee) {
    const uint32_t now = waits_.last_wait[caller];
    uint32_t i = waits_.waits[now].before;
    for (int count = 0; i != Waits::none && count < most_waits;
         count++, i = waits_.waits[i].before) {
      const Waits::Wait& wait = waits_.waits[i];
      if (wait.on == no_index || function_of(model_.last_self(wait.on)) != function_of(callee))
        continue;
      const bool is_passed = wait.location != waits_.waits[now].location && !wait.cancelled &&
                             model_.tasks[model_.last_self(wait.on)].how == Model::End::Resolved;
      return is_passed && !has_cancelled_since(caller, wait.end) ? i : Waits::none;
    }
    return Waits::none;
  }

  // By the task, or by a call of it.
  bool has_cancelled_since(TaskIndex task, uint64_t time) {
    if (cancelled_.empty()) {
      cancelled_.resize(model_.tasks.size());
      for (const Model::Cancel& cancel : model_.cancels) {
        TaskIndex by = cancel.by;
        for (int depth = 0; depth < deepest && by != no_index; depth++) {
          cancelled_[by] = std::max(cancelled_[by], cancel.time);
          by = model_.tasks[by].parent;
        }
      }
    }
    return cancelled_[task] >= time;
  }

  bool is_deadlock(const Function& lock, const Group& group) const {
    if (group.holders.size() < 2 || group.held_up.size() < 2) return false;
    const auto is_caller = [&](TaskIndex task) {
      return group.callers.count(function_of(task)) != 0;
    };
    // All that live wait.
    for (TaskIndex task = 0; task < model_.tasks.size(); task++)
      if (model_.is_open(task) && is_caller(task) && group.waiters.count(task) == 0) return false;
    // No other code has cancelled what the function waited for.
    const std::vector<bool> is_used = objects_of(lock);
    const auto is_by_caller = [&](const Model::Cancel& cancel) {
      TaskIndex by = cancel.by;
      for (int depth = 0; depth < deepest && by != no_index; depth++) {
        if (is_caller(by)) return true;
        by = model_.tasks[by].parent;
      }
      return false;
    };
    return std::all_of(model_.cancels.begin(), model_.cancels.end(), [&](const auto& cancel) {
      return !is_used[cancel.object] || is_by_caller(cancel);
    });
  }

  // Precondition: is_deadlock(), so that only callers have cancelled.
  bool was_released(const Function& lock) const {
    const std::vector<bool> is_used = objects_of(lock);
    return std::any_of(model_.cancels.begin(), model_.cancels.end(),
                       [&](const Model::Cancel& cancel) { return is_used[cancel.object]; });
  }

  // The objects on which calls of the function created operations.
  std::vector<bool> objects_of(const Function& function) const {
    std::vector<bool> used(model_.objects.size());
    for (const Model::Concern& use : model_.concerns) {
      if (use.object == Model::Object::none || used[use.object]) continue;
      TaskIndex task = use.task;
      for (int depth = 0; depth < deepest && task != no_index; depth++) {
        if (function_of(task) == function) used[use.object] = true;
        task = model_.tasks[task].parent;
      }
    }
    return used;
  }

  static constexpr int deepest = 8;
  static constexpr int most_waits = 1000;  // of a task
  const Model& model_;
  const Waits& waits_;
  std::vector<TaskIndex> waiters_;   // by task: who waits for it
  std::vector<uint64_t> cancelled_;  // by task: when it last cancelled something, if known
  std::map<Function, Group> groups_;
};

}  // namespace

std::vector<OwnLockWait> find_own_locks(const Subject& subject) { return Finder(subject).find(); }

}  // namespace skein
