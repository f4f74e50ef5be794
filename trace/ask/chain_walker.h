// Follows the chain of targets of one task to its end, and classifies what is wrong there. What
// depends on other tasks that wait is left to diagnose_all() (trace/ask/why.h).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "trace/ask/diagnosis.h"
#include "trace/ask/waits.h"

namespace skein {

// Threads: one. What several diagnoses need is found once, by the first of them.
class ChainWalker {
 public:
  // A task that runs at the end: since when, and on which thread.
  struct Run {
    uint64_t since = 0;
    uint32_t executor = 0;
  };

  // Lifetime: the subject's parts must outlive the walker.
  explicit ChainWalker(const Subject& subject);
  ~ChainWalker();

  // The chain and the verdict. Cost: the length of the chain.
  Diagnosis diagnose(TaskIndex task);
  // Finds for how long the last task has been runnable; a handler, since the one before it in its
  // queue began: a long queue that is served is no fault.
  void measure_starvation(Diagnosis& d);
  // Finds the task that ran longest on the executor while the last task was runnable.
  void find_blocker(Diagnosis& d);
  // Whether it has run handlers of a thread pool: jobs may wait there for their turn.
  bool is_pool_thread(uint32_t executor);
  // Nothing if it does not run.
  std::optional<Run> run_at_end(TaskIndex task) const;

 private:
  class Walk;
  std::unique_ptr<Walk> walk_;
};

}  // namespace skein
