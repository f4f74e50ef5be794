#include "trace/ask/cpu_use.h"

#include <algorithm>

namespace skein {

namespace {

bool is_earlier(const CpuTimeReading& a, const CpuTimeReading& b) { return a.time < b.time; }
uint64_t minus(uint64_t a, uint64_t b) { return a - std::min(a, b); }

}  // namespace

OffCpu reason_off_cpu(const CpuUse& use, uint64_t duration) {
  // A runnable thread loses the CPU for some ms for each of its rivals.
  constexpr uint64_t longest_preemption = 50'000'000;
  if (use.blocked_ns) {
    if (*use.blocked_ns > 2 * use.waited_ns) return OffCpu::Blocked;
    return use.waited_ns > 2 * *use.blocked_ns ? OffCpu::Preempted : OffCpu::Either;
  }
  if (use.blocked == 0) return OffCpu::Preempted;
  const uint64_t off = minus(duration, use.most);
  return off / longest_preemption >= use.preempted ? OffCpu::Blocked : OffCpu::Either;
}

CpuUses::CpuUses(const Trace& trace) : readings_(trace.executors.size()), intervals_(trace) {
  for (const CpuTimeReading& reading : trace.cpu_times)
    if (reading.executor < readings_.size()) readings_[reading.executor].push_back(reading);
  for (auto& of_executor : readings_)
    std::stable_sort(of_executor.begin(), of_executor.end(), is_earlier);
}

std::optional<CpuUse> CpuUses::of(uint32_t executor, uint64_t begin, uint64_t end) const {
  if (executor >= readings_.size() || begin > end) return {};
  if (const auto times = intervals_.times(executor, begin, end); times && times->unknown == 0) {
    CpuUse use{.least = times->running,
               .most = times->running,
               .blocked_ns = times->blocked,
               .waited_ns = times->waited_for_cpu(),
               .ran_instead = intervals_.ran_instead(executor, begin, end)};
    for (const ThreadInterval& one : intervals_.of(executor, begin, end)) {
      use.blocked += one.state == ThreadState::Blocked;
      use.preempted += one.state == ThreadState::Preempted;
    }
    return use;
  }
  const std::vector<CpuTimeReading>& all = readings_[executor];
  const auto after_begin = std::upper_bound(
      all.begin(), all.end(), begin,
      [](uint64_t time, const CpuTimeReading& reading) { return time < reading.time; });
  const auto after = std::lower_bound(
      all.begin(), all.end(), end,
      [](const CpuTimeReading& reading, uint64_t time) { return reading.time < time; });
  if (after_begin == all.begin() || after == all.end()) return {};
  const CpuTimeReading& first = *(after_begin - 1);
  const CpuTimeReading& last = *after;
  const uint64_t used = minus(last.cpu, first.cpu);
  const uint64_t outside = (begin - first.time) + (last.time - end);
  CpuUse use{.least = minus(used, outside),
             .most = std::min(used, end - begin),
             .blocked = last.blocked - first.blocked,
             .preempted = last.preempted - first.preempted};
  use.least = std::min(use.least, use.most);
  return use;
}

}  // namespace skein
