// The samples of a trace by logical stack: the tasks that awaited the sampled one, then the
// functions of the sample.
//
//   const LogicalSamples samples = find_logical_samples(subject, times, {});
//   flame_svg(samples.tree, {.unit = "samples"});
//
// The task of a sample is the one that was current on its thread. A sample outside any task has
// only its functions. Of those of a task, the ones that called it (an event loop) are omitted, if
// its function is among them.
#pragma once

#include <cstdint>
#include <memory>

#include "trace/ask/logical_times.h"
#include "trace/model/thread_intervals.h"

namespace skein {

struct SampleAt {
  uint32_t executor = 0;
  uint64_t time = 0;  // ns
  bool operator==(const SampleAt&) const = default;
};

struct LogicalSamples {
  StackTree tree = {};  // weights are numbers of samples, or ns
  uint64_t in_tasks = 0;
  uint64_t outside = 0;
  uint64_t other_tasks = 0;  // the sample names another task than the one that was current
  std::vector<uint8_t> tasks = {};  // by TaskIndex: sampled in the frame of `path`
  std::vector<SampleAt> in_path = {};  // the samples in it, by executor and time; none without path
};

enum class SampleStack : uint8_t {
  Logical,
  Physical,  // as the sample has it: the functions that called each other, the event loop included
};

// The samples of a trace with their stacks, or the times in which its threads were on no CPU, found
// once: a selection then takes O(samples in its range + stacks), some ms for a million. Keeps
// nothing of the subject.
class SampleIndex {
 public:
  SampleIndex(const Subject& subject, const LogicalTimes& times, SampleStack kind,
              StacksBy by = StacksBy::None);
  SampleIndex(const Subject& subject, const LogicalTimes& times, const ThreadIntervals& threads,
              StacksBy by = StacksBy::None);

  // As find_logical_samples() and find_logical_waits(). Ignores `states` and `by` of the selection.
  LogicalSamples select(const LogicalSelection& selection, double least_share = 0,
                        std::span<const std::string> path = {}) const;

 private:
  struct Parts;
  friend class SampleIndexer;
  std::shared_ptr<const Parts> parts_;
};

// `times` of the same subject; the states of the selection are ignored. Siblings of less than
// `least_share` are not in the tree. `path`: the names from the outermost frame to one. O(events +
// intervals).
LogicalSamples find_logical_samples(const Subject& subject, const LogicalTimes& times,
                                    const LogicalSelection& selection, double least_share = 0,
                                    std::span<const std::string> path = {},
                                    SampleStack kind = SampleStack::Logical);

// The same for the time in which threads were on no CPU, by the stacks with which they had left it
// (`skein profile --off-cpu`): weights are in ns. An interval is of the task that was current when
// it began. `threads` of the same trace; of intervals without a stack, nothing.
LogicalSamples find_logical_waits(const Subject& subject, const LogicalTimes& times,
                                  const ThreadIntervals& threads, const LogicalSelection& selection,
                                  double least_share = 0, std::span<const std::string> path = {});

}  // namespace skein
