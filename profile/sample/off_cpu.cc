#include "profile/sample/off_cpu.h"

#include <utility>

namespace skein {

void OffCpu::leave(const PerfRecord& sample, std::span<const uint64_t> chain,
                   const LogicalSample& logical) {
  Away& away = away_[sample.tid];
  away = {};
  away.wait.sample = sample;
  away.wait.sample.chain = away.wait.sample.stack = away.wait.sample.raw = {};
  away.wait.chain.assign(chain.begin(), chain.end());
  away.wait.logical = logical;
}

void OffCpu::preempt(uint32_t tid) {
  if (const auto at = away_.find(tid); at != away_.end()) at->second.is_preempted = true;
}

void OffCpu::end(uint32_t tid, uint64_t time, const Use& use) {
  auto node = away_.extract(tid);
  if (node.empty()) return;
  Away& away = node.mapped();
  if (time <= away.wait.sample.time) return;
  away.wait.sample.period = time - away.wait.sample.time;
  total_ns_ += away.wait.sample.period;
  if (away.is_preempted) preempted_ns_ += away.wait.sample.period;
  use(away.wait);
}

void OffCpu::end_all(uint64_t time, const Use& use) {
  while (!away_.empty()) end(away_.begin()->first, time, use);
}

}  // namespace skein
