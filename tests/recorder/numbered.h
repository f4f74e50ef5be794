// Calls of the recorder that are numbered, and the check that a stream holds an unbroken run of
// them: both ends draw from the same generator, so that one wrong byte anywhere is found.
//
//   NumberedCalls calls(executor);
//   for (uint64_t n = 1;; ++n) { calls.make(n); acknowledged = n; }
//   ...
//   Run run = find_run(events, executor);   // of the same number
//
// Number n is one of a handful of operations, by a hash of n: all shapes, all widths, texts of all
// lengths, beyond the longest, and those that are several events with one commit.
#pragma once
#include <skein/skein.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/recorder/decode.h"

namespace skein::test {

class NumberedCalls {
 public:
  explicit NumberedCalls(uint64_t executor) : executor_(executor) {}
  void make(uint64_t n);

 private:
  void task_call(uint64_t n);
  uint64_t executor_;
  skein_task outer_ = {};
  char text_[700];
};

struct Run {
  uint64_t first = 0, last = 0;  // numbers; 0, 0: none
  std::string problem;           // empty: all that is there is right
};
Run find_run(const std::vector<Event>& events, uint64_t executor);

}  // namespace skein::test
