#include "profile/sched/thread_tracker.h"

#include <algorithm>
#include <utility>

namespace skein {

namespace {

using Kind = SchedRecord::Kind;

constexpr size_t most_names = 65536;  // of a machine's threads

}  // namespace

ThreadTracker::ThreadTracker(uint32_t pid, std::vector<uint64_t> threads, FindName find_name)
    : pid_(pid), find_name_(std::move(find_name)) {
  for (const uint64_t thread : threads) threads_[static_cast<uint32_t>(thread)];
}

void ThreadTracker::add(const SchedRecord& record) {
  const bool is_ours = record.pid == pid_;
  switch (record.kind) {
    case Kind::In:
    case Kind::Blocked:
    case Kind::Preempted:
    case Kind::Ended:
      if (!is_ours) return;
      break;
    default:
      break;
  }
  pending_.push_back({record, std::string(record.name)});
  pending_.back().record.name = {};  // not valid after this call
}

void ThreadTracker::take_until(uint64_t time, const std::function<void(const SchedChange&)>& use) {
  std::stable_sort(pending_.begin(), pending_.end(),
                   [](const Record& a, const Record& b) { return a.record.time < b.record.time; });
  const auto end =
      std::upper_bound(pending_.begin(), pending_.end(), time,
                       [](uint64_t limit, const Record& one) { return limit < one.record.time; });
  for (auto next = pending_.begin(); next != end; ++next) use_record(*next, use);
  pending_.erase(pending_.begin(), end);
}

void ThreadTracker::use_record(const Record& next,
                               const std::function<void(const SchedChange&)>& use) {
  const SchedRecord& record = next.record;
  // A record that came too late: see take_until. It is not lost, but its time is.
  last_time_ = std::max(last_time_, record.time);
  SchedChange change{.time = last_time_, .tid = record.tid, .cpu = record.cpu};
  switch (record.kind) {
    case Kind::Named:
      if (names_.size() < most_names || names_.contains(record.tid)) names_[record.tid] = next.name;
      return;
    case Kind::Started:
      names_.erase(record.tid);  // of an earlier thread with this number
      if (record.pid == pid_) threads_[record.tid] = {};
      return;
    case Kind::Lost:
      lost_ += record.lost;
      for (auto& [tid, thread] : threads_) thread.state = ThreadState::Unknown;
      use({.time = last_time_, .tid = 0, .state = ThreadState::Unknown});
      return;
    default:
      break;
  }
  if (record.tid == 0) return;
  const auto known = threads_.find(record.tid);
  if (known == threads_.end() && (record.kind == Kind::Woken || record.kind == Kind::Function))
    return;
  Thread& thread = threads_[record.tid];
  switch (record.kind) {
    case Kind::In:
      change.state = ThreadState::Running;
      switches_++;
      break;
    case Kind::Preempted:
      change.state = ThreadState::Preempted;
      change.other = record.other;
      if (record.other != 0) change.text = name(record.other);
      switches_++;
      break;
    case Kind::Blocked:
      switches_++;
      if (thread.state == ThreadState::Ended) return;  // its last switch
      change.state = ThreadState::Blocked;
      thread.is_named = false;
      blocked_.push_back(record.tid);
      break;
    case Kind::Woken:
      // Also of a thread that is about to block, or that another one has woken before.
      if (thread.state != ThreadState::Blocked) return;
      change.state = ThreadState::Runnable;
      change.other = record.other;
      change.cpu = 0;
      break;
    case Kind::Function:
      // It has run since: the function may be that of an earlier wait.
      if (thread.state != ThreadState::Blocked || thread.since > record.since) return;
      change.text = next.name;
      change.state = ThreadState::Function;
      use(change);
      return;
    default:
      change.state = ThreadState::Ended;
      break;
  }
  thread.state = change.state;
  thread.since = last_time_;
  use(change);
}

std::vector<uint32_t> ThreadTracker::newly_blocked(size_t most) {
  std::vector<uint32_t> found;
  for (; !blocked_.empty() && found.size() < most; blocked_.pop_back()) {
    Thread& thread = threads_[blocked_.back()];
    if (thread.state == ThreadState::Blocked && !std::exchange(thread.is_named, true))
      found.push_back(blocked_.back());
  }
  blocked_.clear();
  return found;
}

const std::string& ThreadTracker::name(uint32_t tid) {
  if (names_.size() >= most_names) names_.clear();
  const auto [found, is_new] = names_.try_emplace(tid);
  if (is_new) found->second = find_name_(tid);
  return found->second;
}

}  // namespace skein
