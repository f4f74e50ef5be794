#include <algorithm>
#include <array>
#include <string_view>

#include "trace/ask/logical_times.h"
#include "trace/ask/name_tree.h"
#include "trace/ask/number_table.h"
#include "trace/ask/selected_times.h"
#include "trace/ask/stack_finder.h"
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

}  // namespace

bool is_selected(const LogicalSelection& selection, const LogicalTimes::Interval& interval) {
  const LogicalSelection::States& states = selection.states;
  const std::array<bool, 3> shown = {states.running, states.ready, states.suspended};
  return shown[static_cast<size_t>(interval.state)] && interval.begin < selection.to &&
         selection.from < interval.end &&
         (selection.tasks == nullptr || (*selection.tasks)[interval.task]) &&
         (!selection.executor || *selection.executor == interval.executor);
}

namespace {

// Sums of selected intervals by stack and state, and by group if there are groups.
class IntervalSums {
 public:
  explicit IntervalSums(const LogicalSelection& selection)
      : selection_(selection),
        is_whole_(selection.states.running && selection.states.ready &&
                  selection.states.suspended && selection.from == 0 && selection.to == UINT64_MAX &&
                  selection.tasks == nullptr && !selection.executor) {}

  void begin(size_t) {
    sums_ = {};
    weights_.clear();
  }
  void add(const TaskInterval& one) {
    if (!is_whole_ && !is_selected(selection_, one)) return;
    const uint32_t stack = key_of(one);
    if (selection_.by == StacksBy::None) {
      if (stack >= weights_.size()) weights_.resize(2 * size_t{stack} + states);
      weights_[stack] += is_whole_ ? static_cast<double>(one.end - one.begin) : weight_of(one);
      return;
    }
    const uint32_t at = sums_.add({stacks_group(selection_.by, one), stack});
    if (at == weights_.size()) weights_.push_back(0);
    weights_[at] += weight_of(one);
  }

  // `stacks`: how many there are.
  void add_all(std::span<const TaskInterval> all, size_t stacks) {
    if (selection_.by != StacksBy::None) {
      for (const TaskInterval& one : all) add(one);
      return;
    }
    weights_.resize(states * stacks);
    const LogicalSelection selection = selection_;  // which the weights cannot change
    double* const weights = weights_.data();
    for (const TaskInterval& one : all)
      if (is_selected(selection, one)) weights[key_of(one)] += weight_of(one, selection);
  }

  StackTree tree(const Subject& subject, const LogicalTimes& stacks, double least_share) const {
    const bool has_states = is_mixed(selection_);
    NameTree tree;
    std::vector<uint32_t> names;  // in the tree
    for (const std::string& name : stacks.names) names.push_back(tree.name(name));
    std::vector<uint32_t> path;
    for (uint32_t at = 0; at < weights_.size(); at++) {
      if (weights_[at] <= 0) continue;
      const SumKey key = selection_.by == StacksBy::None ? SumKey{0, at} : sums_[at];
      const auto state = static_cast<TaskTime>(key.stack % states);
      path.clear();
      if (has_states && state != TaskTime::Suspended) path.push_back(tree.name(state_frame(state)));
      for (uint32_t stack = key.stack / states; stack != LogicalTimes::root;
           stack = stacks.stacks[stack].parent)
        path.push_back(names[stacks.stacks[stack].name]);
      if (selection_.by != StacksBy::None)
        path.push_back(tree.name(stacks_group_name(subject, selection_.by, key.group)));
      uint32_t node = NameTree::root;
      for (size_t i = path.size(); i-- > 0;) node = tree.child(node, path[i]);
      tree.add(node, weights_[at]);
    }
    return tree.build(least_share);
  }

 private:
  static constexpr uint32_t states = 3;
  static uint32_t key_of(const TaskInterval& one) {
    return states * one.stack + static_cast<uint32_t>(one.state);
  }
  static double weight_of(const TaskInterval& one, const LogicalSelection& selection) {
    return static_cast<double>(std::min(one.end, selection.to) -
                               std::max(one.begin, selection.from));
  }
  double weight_of(const TaskInterval& one) const { return weight_of(one, selection_); }

  const LogicalSelection& selection_;
  bool is_whole_;  // it selects each interval
  NumberTable<SumKey> sums_;
  std::vector<double> weights_;  // by sum; without groups by stack and state
};

}  // namespace

StackTree logical_tree(const Subject& subject, const LogicalTimes& stacks,
                       const LogicalSelection& selection, double least_share) {
  IntervalSums sums(selection);
  sums.add_all(stacks.intervals, stacks.stacks.size());
  return sums.tree(subject, stacks, least_share);
}

SelectedTimes find_selected_times(const Subject& subject, const LogicalSelection& selection) {
  IntervalSums sums(selection);
  LogicalTimes stacks = find_stacks(subject, sums);
  return {.tree = sums.tree(subject, stacks, 0), .unfinished = stacks.unfinished};
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
