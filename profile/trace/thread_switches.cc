#include "profile/trace/thread_switches.h"

#include <algorithm>

namespace skein {

// A thread that ends gives up its CPU behind its Exit.
void ThreadSwitches::add(const PerfRecord& record) {
  const bool ends = record.type == PerfRecord::Type::Exit;
  const auto known = switches_.find(record.tid);
  if (ends && known == switches_.end()) return;
  std::vector<Switch>& all = known == switches_.end() ? switches_[record.tid] : known->second;
  if (!all.empty() && all.back().to == ThreadState::Ended) return;
  ThreadState to = ThreadState::Running;
  if (ends)
    to = ThreadState::Ended;
  else if (record.is_out)
    to = record.is_preempted ? ThreadState::Preempted : ThreadState::Blocked;
  all.push_back({.time = record.time, .to = to, .cpu = ends ? 0 : record.cpu + 1});
}

bool ThreadSwitches::place(ThreadWait& wait) const {
  const auto found = switches_.find(wait.tid);
  if (found == switches_.end()) return false;
  const std::vector<Switch>& all = found->second;
  const auto out =
      std::lower_bound(all.begin(), all.end(), wait.begin,
                       [](const Switch& one, uint64_t time) { return one.time < time; });
  if (out == all.end() || out->time >= wait.end) return false;
  if (out->to != ThreadState::Blocked && out->to != ThreadState::Preempted) return false;
  if (out + 1 != all.end() && (out + 1)->time != wait.end) return false;
  wait.is_preempted = out->to == ThreadState::Preempted;
  wait.begin = out->time;
  return true;
}

std::vector<ThreadStateChange> ThreadSwitches::changes(const std::vector<ThreadWait>& waits) const {
  std::vector<ThreadStateChange> changes;
  for (const auto& [tid, all] : switches_)
    for (const Switch& one : all)
      changes.push_back({.time = one.time, .tid = tid, .state = one.to, .cpu = one.cpu});
  // Behind the switch of the same time.
  for (const ThreadWait& wait : waits)
    changes.push_back({.time = wait.begin,
                       .tid = wait.tid,
                       .state = ThreadState::Stack,
                       .other = wait.stack});
  std::stable_sort(
      changes.begin(), changes.end(),
      [](const ThreadStateChange& a, const ThreadStateChange& b) { return a.time < b.time; });
  return changes;
}

}  // namespace skein
