#include "trace/ask/relocked.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "trace/ask/object_waits.h"

namespace skein {

namespace {

constexpr uint64_t shortest_relock = 1'000'000'000;  // ns
constexpr int deepest_call = 8;

class RelockFinder {
 public:
  explicit RelockFinder(const Subject& subject)
      : s_(subject), caller_(subject.model.tasks.size(), no_index) {
    for (const Waits::Wait& wait : s_.waits.waits)
      if (wait.on != no_index) caller_[s_.model.last_self(wait.on)] = wait.task;
  }

  // Of one object.
  void find(const std::vector<ObjectWait>& all, bool is_lock, bool is_asleep,
            std::unordered_map<TaskIndex, Relocked>& found) const {
    std::unordered_map<TaskIndex, const ObjectWait*> passes;  // by task: the last
    for (const ObjectWait& one : all)
      if (!one.is_open()) {
        const ObjectWait*& last = passes[one.task];
        if (last == nullptr || last->end <= one.end) last = &one;
      }
    std::vector<std::pair<TaskIndex, Relocked>> waiters;
    std::unordered_map<TaskIndex, bool> is_stuck;  // the waiters, and those that wait for them
    for (const ObjectWait& one : all) {
      if (!one.is_open() || !s_.model.is_open(one.task)) continue;
      if (s_.model.end - std::min(s_.model.end, one.begin) < shortest_relock) return;
      const Relocked relocked = passed_before(passes, one);
      TaskIndex task = one.task;
      for (int depth = 0; depth < deepest_call && task != no_index; depth++, task = caller_[task])
        is_stuck[task] = true;
      if (relocked.passer != no_index) waiters.emplace_back(one.task, relocked);
    }
    if (waiters.empty()) return;
    for (const auto& [passer, pass] : passes) {
      TaskIndex task = passer;
      for (int depth = 0; depth < deepest_call && task != no_index; depth++, task = caller_[task])
        if (s_.model.is_open(task) && !is_stuck[task]) return;
    }
    for (size_t i = 0; i < waiters.size(); i++) {
      Relocked& one = waiters[i].second;
      one.others = waiters.size() - 1;
      if (one.others != 0) one.other = waiters[i == 0 ? 1 : 0].first;
      one.is_lock = is_lock;
      one.is_deadlock = is_lock && is_asleep && one.others != 0;
      found.try_emplace(waiters[i].first, one);
    }
  }

 private:
  // What the waiter, or the nearest of its callers, has passed; without a passer: none of them, or
  // at the same line.
  Relocked passed_before(const std::unordered_map<TaskIndex, const ObjectWait*>& passes,
                         const ObjectWait& wait) const {
    TaskIndex task = wait.task;
    for (int depth = 0; depth < deepest_call && task != no_index; depth++, task = caller_[task]) {
      const auto at = passes.find(task);
      if (at == passes.end()) continue;
      const ObjectWait& pass = *at->second;
      if (pass.location == 0 || pass.location == wait.location || pass.end > wait.begin) return {};
      if (!pass.is_at_once() && s_.waits.waits[pass.wait].cancelled) return {};
      return {.passer = task, .passed = pass.end, .location = pass.location};
    }
    return {};
  }

  const Subject s_;
  std::vector<TaskIndex> caller_;  // by task: the last that waited for it
};

}  // namespace

bool is_process_asleep(const Subject& s) {
  return s.trace.info.asleep > s.model.last_event && !s.model.is_torn_down;
}

std::unordered_map<TaskIndex, Relocked> find_relocked(const Subject& s) {
  std::unordered_map<TaskIndex, Relocked> found;
  if (s.trace.info.overwritten_packets != 0 || s.trace.awaited_objects.empty()) return found;
  const bool is_asleep = is_process_asleep(s);
  const RelockFinder finder(s);
  for (const auto& [address, all] : find_object_waits(s)) {
    const bool is_lock = std::all_of(all.begin(), all.end(), [&](const ObjectWait& one) {
      return is_named_lock(s.trace, one.type);
    });
    if (is_lock || is_asleep) finder.find(all, is_lock, is_asleep, found);
  }
  return found;
}

}  // namespace skein
