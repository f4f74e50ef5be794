#include "trace/ask/stats.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/stable_sort.h"
#include "trace/ask/task_kinds.h"
#include "trace/model/names.h"

namespace skein {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Merges names that differ only in a number: "session 12", "conn-7", "eth0#3".
std::string without_number(std::string name) {
  const size_t end = name.size();
  size_t digits = end;
  while (digits > 0 && is_digit(name[digits - 1])) digits--;
  const bool counts = digits < end && digits > 0 &&
                      std::string_view(" #-_:/").find(name[digits - 1]) != std::string_view::npos;
  if (!counts) return name;
  if (name[digits - 1] == '#') digits--;
  return name.substr(0, digits) + '#';
}

std::string name_of(const Trace& trace, const Model::Task& task, GroupBy by) {
  switch (by) {
    case GroupBy::Name:
      return without_number(task_name(trace, task));
    case GroupBy::Kind:
      return kind_name(trace, task.kind);
    case GroupBy::Location:
      return location_text(trace, task.location);
  }
  return "";
}

// Identifies the name, so that few names are built: there may be a million tasks. Below
// key_count().
size_t key_of(const Trace& trace, const Model::Task& task, GroupBy by) {
  if (by == GroupBy::Kind) return std::min<size_t>(task.kind, trace.kinds.size());  // unknown
  if (by == GroupBy::Location) return task.location;
  if (task.label || task.name) return task.label ? task.label : task.name;
  return trace.strings.size() + task.location;
}
size_t key_count(const Trace& trace) {
  return trace.strings.size() + trace.locations.size() + trace.kinds.size() + 1;
}

// The waits of a task, by begin, without the time that earlier ones already cover.
struct Covered {
  uint64_t waits = 0;    // waits are counted up to this time
  uint64_t blocked = 0;  // waiting time is counted up to this time
  uint64_t others = 0;   // waiting time for other tasks is counted up to this time

  static uint64_t extend(uint64_t& covered, uint64_t begin, uint64_t end) {
    begin = std::max(begin, covered);
    covered = std::max(covered, end);
    return end - std::min(begin, end);
  }
};

class Grouping {
 public:
  Grouping(const Subject& subject, GroupBy by, const TaskSelection& selection)
      : trace_(subject.trace),
        model_(subject.model),
        waits_(subject.waits),
        by_(by),
        selection_(selection),
        covered_(model_.tasks.size()) {
    all_.group_of.assign(model_.tasks.size(), SelectedGroups::none);
  }

  SelectedGroups find() {
    if (selection_.executor) find_tasks_of_executor();
    make_groups();
    for (TaskIndex task = 0; task < model_.tasks.size(); task++)
      if (all_.group_of[task] != SelectedGroups::none) add_task(task);
    // What is outside of the selected time adds nothing.
    for (const Model::Activation& activation : model_.activations) {
      if (activation.start >= selection_.to) break;
      if (activation.end <= selection_.from) continue;
      if (TaskGroup* g = group(activation.task, activation.executor))
        g->running += inside(activation.end) - inside(activation.start);
    }
    for (const Waits::Wait& wait : waits_.waits) {
      if (wait.begin >= selection_.to) break;
      if (wait.end <= selection_.from) continue;
      if (TaskGroup* g = group(wait.task, wait.executor)) add_wait(*g, wait);
    }
    for (TaskGroup& g : all_.groups) {
      sort_numbers(g.latencies);
      g.self += g.total();  // without what add_wait() has subtracted
    }
    sort();
    return std::move(all_);
  }

 private:
  // The time, or the end of the selected interval that it is beyond.
  uint64_t inside(uint64_t time) const { return std::clamp(time, selection_.from, selection_.to); }
  bool is_of_executor(uint32_t executor) const {
    return !selection_.executor || *selection_.executor == executor;
  }

  void find_tasks_of_executor() {
    there_.resize(model_.tasks.size());
    const auto add = [&](TaskIndex task, uint32_t executor, uint64_t begin, uint64_t end) {
      if (task < there_.size() && is_of_executor(executor) && begin < selection_.to &&
          end >= selection_.from)
        there_[task] = 1;
    };
    for (const Model::Activation& a : model_.activations) add(a.task, a.executor, a.start, a.end);
    for (const Waits::Wait& wait : waits_.waits)
      add(wait.task, wait.executor, wait.begin, wait.end);
  }

  bool is_selected(TaskIndex index) const {
    const Model::Task& task = model_.tasks[index];
    if (task.is_resource) return false;
    if (!selection_.tasks.empty() && selection_.tasks[index] == 0) return false;
    if (!there_.empty() && there_[index] == 0) return false;
    return task.start < selection_.to &&
           (task.how == Model::End::Open || task.end >= selection_.from);
  }

  // One for each name, in the order of names.
  void make_groups() {
    struct Key {
      std::string name;
      TaskIndex first = no_index;
      uint32_t number = 0;
    };
    std::vector<Key> keys;
    std::vector<uint32_t> number_of(key_count(trace_), SelectedGroups::none);
    for (TaskIndex index = 0; index < model_.tasks.size(); index++) {
      if (!is_selected(index)) continue;
      const Model::Task& task = model_.tasks[index];
      uint32_t& number = number_of[key_of(trace_, task, by_)];
      if (number == SelectedGroups::none) {
        number = static_cast<uint32_t>(keys.size());
        keys.push_back({name_of(trace_, task, by_), index, number});
      }
      all_.group_of[index] = number;
    }
    // Different keys may have the same name.
    stable_sort(keys, [](const Key& a, const Key& b) { return a.name < b.name; });
    std::vector<uint32_t> group_of_number(keys.size());
    for (Key& key : keys) {
      if (all_.groups.empty() || all_.groups.back().name != key.name)
        all_.groups.push_back({.name = std::move(key.name), .first = key.first});
      all_.groups.back().first = std::min(all_.groups.back().first, key.first);
      group_of_number[key.number] = static_cast<uint32_t>(all_.groups.size() - 1);
    }
    renumber(group_of_number);
  }

  void renumber(const std::vector<uint32_t>& numbers) {
    for (uint32_t& of : all_.group_of)
      if (of != SelectedGroups::none) of = numbers[of];
  }

  void add_task(TaskIndex index) {
    const Model::Task& task = model_.tasks[index];
    TaskGroup& group = all_.groups[all_.group_of[index]];
    group.count++;
    const bool ended = task.how != Model::End::Open && task.end < selection_.to;
    group.open += !ended;
    if (ended) {
      group.failed += task.failed();
      group.cancelled += task.how == Model::End::Cancelled;
    }
    if (ended && task.how != Model::End::Overwritten)
      group.latencies.push_back(task.end - std::min(task.start, task.end));
    // An operation waits from its creation until its handler runs.
    if (is_operation(trace_, task)) {
      const uint64_t end = task.how != Model::End::Open ? uint64_t{task.end} : model_.end;
      const uint64_t over = std::max(std::min(waits_.first_run[index], end), task.start);
      group.blocked += inside(over) - inside(task.start);
      covered_[index] = {inside(over), inside(over), 0};
    }
  }

  TaskGroup* group(TaskIndex task, uint32_t executor) {
    if (task == no_index || all_.group_of[task] == SelectedGroups::none) return nullptr;
    return is_of_executor(executor) ? &all_.groups[all_.group_of[task]] : nullptr;
  }

  void add_wait(TaskGroup& g, const Waits::Wait& wait) {
    const uint64_t last = std::min(wait.end, model_.end);
    const uint64_t begin = inside(wait.begin), end = inside(last);
    const uint64_t ready = inside(std::min(wait.ready, last));
    Covered& known = covered_[wait.task];
    const uint64_t blocked = Covered::extend(known.blocked, begin, ready);
    g.blocked += blocked;
    // Adds the runnable time. Time that an earlier wait counted as runnable becomes waiting time
    // while this wait is not over.
    g.ready += Covered::extend(known.waits, begin, end) - blocked;
    const bool for_a_task = wait.on != no_index && !model_.tasks[wait.on].is_resource &&
                            !is_operation(trace_, model_.tasks[wait.on]);
    if (for_a_task) g.self -= Covered::extend(known.others, begin, ready);
  }

  // The group with the longest total time first; of equal ones, by name.
  void sort() {
    std::vector<uint32_t> order(all_.groups.size());
    for (uint32_t i = 0; i < order.size(); i++) order[i] = i;
    stable_sort_by(order, [&](uint32_t group) { return ~all_.groups[group].total(); });
    std::vector<TaskGroup> sorted;
    std::vector<uint32_t> place(order.size());
    for (const uint32_t index : order) {
      place[index] = static_cast<uint32_t>(sorted.size());
      sorted.push_back(std::move(all_.groups[index]));
    }
    all_.groups = std::move(sorted);
    renumber(place);
  }

  const Trace& trace_;
  const Model& model_;
  const Waits& waits_;
  GroupBy by_;
  const TaskSelection& selection_;
  SelectedGroups all_;
  std::vector<Covered> covered_;
  std::vector<uint8_t> there_;  // by task: ran or waited on the executor; empty: any executor
};

}  // namespace

std::vector<TaskGroup> task_groups(const Trace& trace, const Model& model, const Waits& waits,
                                   GroupBy by) {
  return task_groups({trace, model, waits}, by, {}).groups;
}

SelectedGroups task_groups(const Subject& subject, GroupBy by, const TaskSelection& selection) {
  return Grouping(subject, by, selection).find();
}

uint64_t percentile(const std::vector<uint64_t>& ascending, double share) {
  if (ascending.empty()) return 0;
  const double rank = std::ceil(share * static_cast<double>(ascending.size()));
  const auto index = static_cast<size_t>(std::max(rank, 1.0)) - 1;
  return ascending[std::min(index, ascending.size() - 1)];
}

std::vector<uint64_t> histogram(const std::vector<uint64_t>& values) {
  std::vector<uint64_t> counts;
  for (const uint64_t value : values) {
    const auto bucket = static_cast<size_t>(std::bit_width(value));
    if (counts.size() <= bucket) counts.resize(bucket + 1);
    counts[bucket]++;
  }
  return counts;
}

}  // namespace skein
