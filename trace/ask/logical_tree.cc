#include <algorithm>
#include <array>
#include <string_view>

#include "trace/ask/logical_times.h"
#include "trace/ask/name_tree.h"
#include "trace/ask/number_table.h"
#include "trace/model/names.h"

namespace skein {

namespace {

using TaskTime = LogicalTimes::State;
using TaskInterval = LogicalTimes::Interval;

struct SumKey {
  uint32_t group = 0;
  uint32_t stack = 0;
  bool operator==(const SumKey&) const = default;
  uint64_t hash() const { return hash_of(group, stack); }
};

}  // namespace

uint32_t stacks_group(StacksBy by, const TaskInterval& one) {
  switch (by) {
    case StacksBy::None:
      break;
    case StacksBy::Task:
      return one.task;
    case StacksBy::Label:
      return one.label;
    case StacksBy::Executor:
    case StacksBy::Thread:
      return one.executor;
  }
  return 0;
}

std::string stacks_group_name(const Subject& subject, StacksBy by, uint32_t group) {
  switch (by) {
    case StacksBy::None:
      break;
    case StacksBy::Task:
      return task_title(subject.trace, subject.model.tasks[group]);
    case StacksBy::Label:
      return group ? std::string(subject.trace.strings[group]) : "(no label)";
    case StacksBy::Executor:
    case StacksBy::Thread:
      if (group == LogicalTimes::no_executor) return "(no thread yet)";
      return by == StacksBy::Thread ? executor_title(subject.trace, group)
                                    : executor_name(subject.trace, group);
  }
  return "";
}

namespace {

// Whether frames for the states are needed.
bool is_mixed(const LogicalSelection& selection) {
  const LogicalSelection::States& states = selection.states;
  return int{states.running} + int{states.ready} + int{states.suspended} > 1;
}
std::string_view state_frame(TaskTime state) {
  return state == TaskTime::Running ? "(running)" : state == TaskTime::Ready ? "(ready)" : "";
}

class LogicalTreeBuilder {
 public:
  LogicalTreeBuilder(const Subject& subject, const LogicalTimes& stacks,
                     const LogicalSelection& selection)
      : subject_(subject), stacks_(stacks), selection_(selection) {
    is_mixed_ = is_mixed(selection);
    for (const std::string& name : stacks.names) names_.push_back(tree_.name(name));
  }

  StackTree build(double least_share) {
    sum();
    grow();
    return tree_.build(least_share);
  }

 private:
  // Sums by state and stack, and by group if there are groups.
  void sum() {
    const size_t count = stacks_.stacks.size();
    if (selection_.by == StacksBy::None) weights_.assign(3 * count, 0);
    for (const TaskInterval& one : stacks_.intervals) {
      if (!is_selected(selection_, one)) continue;
      const uint64_t begin = std::max(one.begin, selection_.from);
      const auto weight = static_cast<double>(std::min(one.end, selection_.to) - begin);
      const auto stack = static_cast<uint32_t>(static_cast<size_t>(one.state) * count) + one.stack;
      if (selection_.by == StacksBy::None) {
        weights_[stack] += weight;
        continue;
      }
      const uint32_t at = sums_.add({stacks_group(selection_.by, one), stack});
      if (at == weights_.size()) weights_.push_back(0);
      weights_[at] += weight;
    }
  }

  void grow() {
    const size_t count = stacks_.stacks.size();
    std::vector<uint32_t> path;
    for (uint32_t at = 0; at < weights_.size(); at++) {
      if (weights_[at] <= 0) continue;
      const SumKey key = selection_.by == StacksBy::None ? SumKey{0, at} : sums_[at];
      const auto state = static_cast<TaskTime>(key.stack / count);
      path.clear();
      if (is_mixed_ && state != TaskTime::Suspended) path.push_back(tree_.name(state_frame(state)));
      for (auto stack = static_cast<uint32_t>(key.stack % count); stack != LogicalTimes::root;
           stack = stacks_.stacks[stack].parent)
        path.push_back(names_[stacks_.stacks[stack].name]);
      if (selection_.by != StacksBy::None)
        path.push_back(tree_.name(stacks_group_name(subject_, selection_.by, key.group)));
      uint32_t node = NameTree::root;
      for (size_t i = path.size(); i-- > 0;) node = tree_.child(node, path[i]);
      tree_.add(node, weights_[at]);
    }
  }

  const Subject& subject_;
  const LogicalTimes& stacks_;
  const LogicalSelection& selection_;
  bool is_mixed_ = false;
  NameTree tree_;
  std::vector<uint32_t> names_;  // in tree_, by LogicalTimes::names
  NumberTable<SumKey> sums_;
  std::vector<double> weights_;  // by sum; without groups by state and stack
};

}  // namespace

bool is_selected(const LogicalSelection& selection, const LogicalTimes::Interval& interval) {
  const LogicalSelection::States& states = selection.states;
  const std::array<bool, 3> shown = {states.running, states.ready, states.suspended};
  return shown[static_cast<size_t>(interval.state)] && interval.begin < selection.to &&
         selection.from < interval.end &&
         (selection.tasks == nullptr || (*selection.tasks)[interval.task]) &&
         (!selection.executor || *selection.executor == interval.executor);
}

StackTree logical_tree(const Subject& subject, const LogicalTimes& stacks,
                       const LogicalSelection& selection, double least_share) {
  return LogicalTreeBuilder(subject, stacks, selection).build(least_share);
}

std::vector<uint8_t> tasks_in_frame(const Subject& subject, const LogicalTimes& stacks,
                                    const LogicalSelection& selection,
                                    std::span<const std::string> path) {
  // Of each stack: how many names of the path it begins with, if it has no others before.
  constexpr uint32_t elsewhere = UINT32_MAX;
  std::vector<uint32_t> matched(stacks.stacks.size(), elsewhere);
  matched[LogicalTimes::root] = 0;
  for (uint32_t i = 1; i < matched.size(); i++) {
    const uint32_t above = matched[stacks.stacks[i].parent];
    if (above == path.size())
      matched[i] = above;
    else if (above < path.size() && stacks.names[stacks.stacks[i].name] == path[above])
      matched[i] = above + 1;
  }
  std::vector<uint8_t> tasks(subject.model.tasks.size(), 0);
  const bool has_states = is_mixed(selection);
  for (const TaskInterval& one : stacks.intervals) {
    if (one.task >= tasks.size() || !is_selected(selection, one)) continue;
    const uint32_t count = matched[one.stack];
    if (count == path.size() || (has_states && count != elsewhere && count + 1 == path.size() &&
                                 state_frame(one.state) == path.back()))
      tasks[one.task] = 1;
  }
  return tasks;
}

}  // namespace skein
