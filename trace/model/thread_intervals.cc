#include "trace/model/thread_intervals.h"

#include <algorithm>
#include <unordered_map>

#include "base/stable_sort.h"

namespace skein {

namespace {

constexpr uint32_t none = UINT32_MAX;

uint64_t end_of(const Trace& trace) {
  uint64_t end = trace.info.ended;
  if (!trace.events.empty())
    end = std::max<uint64_t>(end, trace.events.time[trace.events.size() - 1]);
  if (!trace.thread_states.empty()) end = std::max(end, trace.thread_states.back().time);
  return end;
}

bool is_interval(ThreadState state) {
  return state != ThreadState::Unknown && state != ThreadState::Ended &&
         state != ThreadState::Function && state != ThreadState::Stack;
}

// The changes of one thread, and those of all threads, to intervals.
class Builder {
 public:
  explicit Builder(std::vector<ThreadInterval>& intervals) : intervals_(intervals) {}

  void add(uint32_t tid, const ThreadStateChange& change) {
    if (change.state == ThreadState::Function) {
      if (open_ && open_->state == ThreadState::Blocked) open_->function = change.text;
      return;
    }
    if (change.state == ThreadState::Stack) {
      if (open_ && open_->state != ThreadState::Running) open_->stack = change.other;
      return;
    }
    close(change.time);
    if (change.cpu != 0) cpu_ = change.cpu;
    if (!is_interval(change.state)) return;
    open_ = ThreadInterval{.begin = change.time,
                           .end = change.time,
                           .tid = tid,
                           .state = change.state,
                           .other = change.other,
                           .cpu = cpu_,
                           .name = change.text,
                           .function = 0};
  }

  void close(uint64_t time) {
    if (open_ && time > open_->begin) {
      open_->end = time;
      intervals_.push_back(*open_);
    }
    open_.reset();
  }

 private:
  std::vector<ThreadInterval>& intervals_;
  std::optional<ThreadInterval> open_;
  uint32_t cpu_ = 0;
};

}  // namespace

ThreadIntervals::ThreadIntervals(const Trace& trace) : of_executor_(trace.executors.size(), none) {
  const auto& changes = trace.thread_states;
  std::vector<SortKey> order;  // by thread, then time
  std::vector<size_t> of_all;
  for (size_t i = 0; i < changes.size(); i++) {
    has_wakeups_ |= changes[i].state == ThreadState::Runnable;
    has_stacks_ |= changes[i].state == ThreadState::Stack;
    if (changes[i].tid == 0)
      of_all.push_back(i);
    else
      order.push_back({changes[i].tid, i});
  }
  sort_by_key(order);
  const uint64_t end = end_of(trace);
  for (size_t i = 0; i < order.size();) {
    const auto tid = static_cast<uint32_t>(order[i].key);
    const size_t first = intervals_.size();
    Builder builder(intervals_);
    auto gap = of_all.begin();
    for (; i < order.size() && order[i].key == tid; i++) {
      for (; gap != of_all.end() && *gap < order[i].place; ++gap) builder.add(tid, changes[*gap]);
      builder.add(tid, changes[order[i].place]);
    }
    for (; gap != of_all.end(); ++gap) builder.add(tid, changes[*gap]);
    builder.close(end);
    threads_.push_back({.tid = tid, .executor = none, .first = first, .last = intervals_.size()});
  }
  for (size_t i = 0; i < trace.executors.size(); i++) {
    const uint64_t tid = trace.executors[i].tid;
    const auto found =
        std::lower_bound(threads_.begin(), threads_.end(), tid,
                         [](const Thread& thread, uint64_t wanted) { return thread.tid < wanted; });
    if (tid == 0 || found == threads_.end() || found->tid != tid) continue;
    of_executor_[i] = static_cast<uint32_t>(found - threads_.begin());
    found->executor = static_cast<uint32_t>(i);
  }
}

std::span<const ThreadInterval> ThreadIntervals::of(uint32_t executor) const {
  if (executor >= of_executor_.size() || of_executor_[executor] == none) return {};
  const Thread& thread = threads_[of_executor_[executor]];
  return std::span(intervals_).subspan(thread.first, thread.last - thread.first);
}

std::span<const ThreadInterval> ThreadIntervals::of(uint32_t executor, uint64_t begin,
                                                    uint64_t end) const {
  const std::span<const ThreadInterval> all = of(executor);
  const auto first =
      std::upper_bound(all.begin(), all.end(), begin,
                       [](uint64_t time, const ThreadInterval& one) { return time < one.end; });
  const auto last =
      std::lower_bound(first, all.end(), end,
                       [](const ThreadInterval& one, uint64_t time) { return one.begin < time; });
  return {first, last};
}

std::optional<ThreadTimes> ThreadIntervals::times(uint32_t executor, uint64_t begin,
                                                  uint64_t end) const {
  if (begin >= end) return {};
  ThreadTimes sum;
  uint64_t known = 0;
  for (const ThreadInterval& one : of(executor, begin, end)) {
    const uint64_t part = std::min(end, one.end) - std::max(begin, one.begin);
    known += part;
    if (one.state == ThreadState::Running) sum.running += part;
    if (one.state == ThreadState::Preempted) sum.preempted += part;
    if (one.state == ThreadState::Blocked) sum.blocked += part;
    if (one.state == ThreadState::Runnable) sum.runnable += part;
  }
  if (known == 0) return {};
  sum.unknown = end - begin - known;
  return sum;
}

StringId ThreadIntervals::ran_instead(uint32_t executor, uint64_t begin, uint64_t end) const {
  std::unordered_map<StringId, uint64_t> sums;
  StringId longest = 0;
  uint64_t most = 0;
  for (const ThreadInterval& one : of(executor, begin, end)) {
    if (one.state != ThreadState::Preempted || one.name == 0) continue;
    uint64_t& sum = sums[one.name];
    sum += std::min(end, one.end) - std::max(begin, one.begin);
    if (sum <= most) continue;
    most = sum;
    longest = one.name;
  }
  return longest;
}

uint32_t ThreadIntervals::executor(uint32_t tid) const {
  const auto found =
      std::lower_bound(threads_.begin(), threads_.end(), tid,
                       [](const Thread& thread, uint32_t wanted) { return thread.tid < wanted; });
  if (found == threads_.end() || found->tid != tid || found->executor == none)
    return static_cast<uint32_t>(of_executor_.size());
  return found->executor;
}

}  // namespace skein
