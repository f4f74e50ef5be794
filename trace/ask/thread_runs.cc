#include "trace/ask/thread_runs.h"

#include <map>
#include <utility>

#include "base/stable_sort.h"

namespace skein {

ThreadRuns::ThreadRuns(const Trace& trace, const LogicalTimes& times) : times_(times) {
  join_executors(trace);
  for (uint32_t i = 0; i < times.intervals.size(); i++) {
    const LogicalTimes::Interval& one = times.intervals[i];
    if (one.state != LogicalTimes::State::Running || one.executor >= thread_of_.size()) continue;
    const uint32_t thread = thread_of_[one.executor];
    executors_[thread] = one.executor;
    threads_[thread].runs.push_back(i);
  }
  for (Thread& thread : threads_)
    stable_sort(thread.runs, [&](uint32_t a, uint32_t b) {
      return times.intervals[a].begin < times.intervals[b].begin;
    });
}

void ThreadRuns::join_executors(const Trace& trace) {
  std::map<std::pair<uint32_t, uint64_t>, uint32_t> numbers;  // by process and thread
  for (uint32_t i = 0; i < trace.executors.size(); i++) {
    const Executor& executor = trace.executors[i];
    const auto next = static_cast<uint32_t>(threads_.size());
    const std::pair<uint32_t, uint64_t> thread(executor.process, executor.tid);
    thread_of_.push_back(executor.tid == 0 ? next
                                           : numbers.try_emplace(thread, next).first->second);
    if (thread_of_[i] != next) continue;
    threads_.emplace_back();
    executors_.push_back(i);
  }
}

const LogicalTimes::Interval* ThreadRuns::at(uint32_t executor, uint64_t time) {
  if (executor >= thread_of_.size()) return nullptr;
  Thread& thread = threads_[thread_of_[executor]];
  const auto interval = [&](size_t i) -> const LogicalTimes::Interval& {
    return times_.intervals[thread.runs[i]];
  };
  while (thread.next < thread.runs.size() && interval(thread.next).end <= time) thread.next++;
  if (thread.next == thread.runs.size() || interval(thread.next).begin > time) return nullptr;
  return &interval(thread.next);
}

}  // namespace skein
