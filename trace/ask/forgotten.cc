#include "trace/ask/forgotten.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "trace/ask/object_waits.h"

namespace skein {

namespace {

constexpr uint64_t shortest_forgotten = 1'000'000'000;  // ns
constexpr uint64_t latest = 10'000'000;  // the thread may be busy when it wakes tasks, ns
constexpr uint64_t fewest_passes = 3;

// The lines through which a task was called: a hash of the locations of the waits for it.
class Callers {
 public:
  explicit Callers(const Subject& subject) : subject_(subject), call_(subject.model.tasks.size()) {
    for (uint32_t i = 0; i < subject.waits.waits.size(); i++)
      if (const TaskIndex on = subject.waits.waits[i].on; on != no_index)
        call_[subject.model.last_self(on)] = i + 1;
  }
  uint64_t of(TaskIndex task) const {
    constexpr int deepest = 8;
    uint64_t hash = 1;
    for (int depth = 0; depth < deepest && call_[task] != 0; depth++) {
      const Waits::Wait& call = subject_.waits.waits[call_[task] - 1];
      hash = (hash ^ call.location) * 0x9e3779b97f4a7c15;
      task = call.task;
    }
    const Model::Task& outer = subject_.model.tasks[task];
    return (hash ^ (uint64_t{outer.name} << 32 | outer.location)) * 0x9e3779b97f4a7c15;
  }

 private:
  const Subject& subject_;
  std::vector<uint32_t> call_;  // by task: 1 + the last wait for it; 0: none
};

// Of an object that behaves like an event that was set once; `set` is 0 for others.
Forgotten describe(const std::vector<ObjectWait>& all) {
  uint64_t set = Waits::never;
  uint64_t first_at_once = Waits::never;
  uint64_t last_begin = 0;  // of the waits
  uint64_t last_woken = 0;
  Forgotten found;
  for (const ObjectWait& one : all) {
    if (one.type != all.front().type) return {};
    set = std::min(set, one.end);
    if (one.is_at_once()) {
      first_at_once = std::min(first_at_once, one.begin);
      continue;
    }
    last_begin = std::max(last_begin, one.begin);
    if (one.is_open()) continue;
    found.woken++;
    last_woken = std::max(last_woken, one.end);
  }
  if (first_at_once == Waits::never || last_begin > set || last_woken > set + latest) return {};
  found.set = set;
  return found;
}

}  // namespace

std::unordered_map<TaskIndex, Forgotten> find_forgotten(const Subject& s) {
  std::unordered_map<TaskIndex, Forgotten> forgotten;
  if (s.trace.info.overwritten_packets != 0 || s.trace.awaited_objects.empty()) return forgotten;
  std::optional<Callers> callers;
  for (const auto& [address, all] : find_object_waits(s)) {
    if (may_have_conditions(s.trace, all.front().type)) continue;
    Forgotten found = describe(all);
    if (found.set == 0 || s.model.end - std::min(s.model.end, found.set) < shortest_forgotten)
      continue;
    const auto was_destroyed = [&](const ObjectWait& one) {
      return !one.is_at_once() && s.waits.waits[one.wait].cancelled;
    };
    if (std::any_of(all.begin(), all.end(), was_destroyed)) continue;
    if (!callers) callers.emplace(s);
    std::set<TaskIndex> waited;
    for (const ObjectWait& one : all)
      if (!one.is_at_once()) waited.insert(one.task);
    const auto place = [&](const ObjectWait& one) {
      return std::pair(one.location, callers->of(one.task));
    };
    std::map<std::pair<uint32_t, uint64_t>, std::set<TaskIndex>> passed;  // at once, by place
    for (const ObjectWait& one : all)
      if (one.is_at_once() && waited.count(one.task) == 0) passed[place(one)].insert(one.task);
    for (const ObjectWait& one : all) {
      if (!one.is_open()) continue;
      found.at_once = passed[place(one)].size();
      if (found.at_once >= fewest_passes) forgotten.try_emplace(one.task, found);
    }
  }
  return forgotten;
}

}  // namespace skein
