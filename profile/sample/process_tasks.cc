#include "profile/sample/process_tasks.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <string>
#include <utility>

#include "base/whole_text.h"
#include "profile/perf/sample_unwinder.h"
#include "profile/sample/monotonic_clock.h"
#include "target/process.h"
#include "target/process_threads.h"

namespace skein {

namespace {

constexpr size_t most_processes = 64;
constexpr uint64_t second = 1'000'000'000;

// What must be the same on the stack as long as the thread has not gone on. The kernel, if it was
// there, may write results above the return address.
std::span<const uint8_t> unchanged_part(const PerfRecord& sample) {
  constexpr uint8_t of_user = 2;
  const size_t most = sample.mode == of_user ? 256 : 8;
  return sample.stack.first(std::min(most, sample.stack.size()));
}

}  // namespace

void ProcessTasks::look(uint32_t pid, Process& process) {
  const uint64_t now = monotonic_ns();
  if ((process.tasks && process.tasks->is_recorded()) || now < process.next_look) return;
  process.next_look = now + second;
  process.tasks.reset();
  process.memory.reset();
  Result<std::unique_ptr<Target>> memory = open_process(pid);
  if (!memory) return;
  process.memory = *std::move(memory);
  process.tasks.emplace(*process.memory);
}

uint32_t ProcessTasks::number_of(uint32_t pid, uint32_t tid) {
  if (!known_.insert(tid).second) return numbers_[tid];
  const std::string status =
      whole_text("/proc/" + std::to_string(pid) + "/task/" + std::to_string(tid) + "/status");
  const auto own = static_cast<uint32_t>(own_id_of(status));
  return numbers_[tid] = own == 0 ? tid : own;
}

std::optional<uint64_t> ProcessTasks::of(const PerfRecord& sample) {
  if (processes_.size() >= most_processes && !processes_.contains(sample.pid)) return {};
  Process& process = processes_[sample.pid];
  look(sample.pid, process);
  if (!process.tasks || !process.tasks->is_recorded()) return {};
  const std::span<const uint8_t> before = unchanged_part(sample);
  std::array<uint8_t, 256> now;
  Piece stack{.address = sample.registers.get(stack_pointer_register).value_or(0),
              .to = std::span(now).first(before.size())};
  const std::optional<uint64_t> task = process.tasks->of(number_of(sample.pid, sample.tid), &stack);
  const auto still = stack.to.first(stack.count);
  if (before.empty() || !std::equal(still.begin(), still.end(), before.begin(), before.end())) {
    counts_.late++;
    return {};
  }
  if (task) counts_.known++;
  return task;
}

}  // namespace skein
