#include "trace/ask/stats.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <unordered_map>

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

// Identifies the name, so that few names are built: there may be a million tasks.
uint64_t key_of(const Model::Task& task, GroupBy by) {
  if (by == GroupBy::Kind) return task.kind;
  if (by == GroupBy::Location) return task.location;
  if (task.label || task.name) return task.label ? task.label : task.name;
  return uint64_t{1} << 32 | task.location;
}

// The waits of a task, by begin, without the time that earlier ones already cover.
struct Covered {
  uint64_t waits = 0;    // waits are counted up to this time
  uint64_t blocked = 0;  // waiting time is counted up to this time

  static uint64_t extend(uint64_t& covered, uint64_t begin, uint64_t end) {
    begin = std::max(begin, covered);
    covered = std::max(covered, end);
    return end - std::min(begin, end);
  }
};

}  // namespace

std::vector<TaskGroup> task_groups(const Trace& trace, const Model& model, const Waits& waits,
                                   GroupBy by) {
  std::vector<TaskGroup> groups;
  std::unordered_map<uint64_t, uint32_t> by_key;
  std::unordered_map<std::string, uint32_t> by_name;
  std::vector<uint32_t> group_of(model.tasks.size(), Waits::none);
  std::vector<Covered> covered(model.tasks.size());
  for (TaskIndex index = 0; index < model.tasks.size(); index++) {
    const Model::Task& task = model.tasks[index];
    if (task.is_resource) continue;
    const auto [at, is_new] = by_key.try_emplace(key_of(task, by), 0);
    if (is_new) {
      std::string name = name_of(trace, task, by);
      const auto [of_name, first] = by_name.try_emplace(name, static_cast<uint32_t>(groups.size()));
      at->second = of_name->second;
      if (first) groups.push_back({.name = std::move(name), .first = index});
    }
    group_of[index] = at->second;
    TaskGroup& group = groups[at->second];
    group.count++;
    const bool ended = task.how != Model::End::Open;
    group.open += !ended;
    group.failed += task.failed();
    group.cancelled += task.how == Model::End::Cancelled;
    if (ended && task.how != Model::End::Overwritten)
      group.latencies.push_back(task.end - std::min(task.start, task.end));
    // An operation waits from its creation until its handler runs.
    if (is_operation(trace, task)) {
      const uint64_t end = ended ? task.end : model.end;
      const uint64_t over = std::max(std::min(waits.first_run[index], end), task.start);
      group.blocked += over - task.start;
      covered[index] = {over, over};
    }
  }
  const auto group = [&](TaskIndex task) -> TaskGroup* {
    return task == no_index || group_of[task] == Waits::none ? nullptr : &groups[group_of[task]];
  };
  for (const Model::Activation& activation : model.activations)
    if (TaskGroup* g = group(activation.task)) g->running += activation.end - activation.start;
  for (const Waits::Wait& wait : waits.waits) {
    TaskGroup* g = group(wait.task);
    if (!g) continue;
    const uint64_t end = std::min(wait.end, model.end);
    const uint64_t ready = std::min(wait.ready, end);
    Covered& known = covered[wait.task];
    const uint64_t blocked = Covered::extend(known.blocked, wait.begin, ready);
    g->blocked += blocked;
    // Adds the runnable time. Time that an earlier wait counted as runnable becomes waiting time
    // while this wait is not over.
    g->ready += Covered::extend(known.waits, wait.begin, end) - blocked;
  }
  for (TaskGroup& g : groups) std::sort(g.latencies.begin(), g.latencies.end());
  const auto in_all = [](const TaskGroup& g) { return g.running + g.ready + g.blocked; };
  std::sort(groups.begin(), groups.end(), [&](const TaskGroup& a, const TaskGroup& b) {
    return in_all(a) != in_all(b) ? in_all(a) > in_all(b) : a.name < b.name;
  });
  return groups;
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
