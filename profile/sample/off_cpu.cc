#include "profile/sample/off_cpu.h"

#include <utility>

namespace skein {

void OffCpu::leave(const PerfRecord& sample, std::span<const uint64_t> chain,
                   const LogicalSample& logical) {
  Wait& wait = away_[sample.tid];
  wait = {};
  wait.sample = sample;
  wait.sample.chain = wait.sample.stack = wait.sample.raw = {};
  wait.chain.assign(chain.begin(), chain.end());
  wait.logical = logical;
}

void OffCpu::preempt(uint32_t tid) {
  if (const auto at = away_.find(tid); at != away_.end()) at->second.is_preempted = true;
}

void OffCpu::end(uint32_t tid, uint64_t time, const Use& use) {
  auto node = away_.extract(tid);
  if (node.empty()) return;
  Wait& wait = node.mapped();
  if (time <= wait.sample.time) return;
  wait.sample.period = time - wait.sample.time;
  if (!use(wait)) return;
  total_ns_ += wait.sample.period;
  if (wait.is_preempted) preempted_ns_ += wait.sample.period;
}

void OffCpu::end_all(uint64_t time, const Use& use) {
  while (!away_.empty()) end(away_.begin()->first, time, use);
}

}  // namespace skein
