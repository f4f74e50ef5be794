// Numbered calls of the recorder, and a check that a stream contains an unbroken run of them.
// Writer and reader derive the calls from the same generator, so any wrong byte is found.
//
//   NumberedCalls calls(executor);
//   for (uint64_t n = 1;; ++n) { calls.make(n); acknowledged = n; }
//   ...
//   Run run = find_run(events, executor);   // with the same executor
//
// A hash of n selects the operation of number n. They cover all shapes, all widths, texts of every
// length including too long ones, and calls that record several events with one commit.
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
  uint64_t first = 0, last = 0;  // the range of numbers; 0, 0: none
  std::string problem;           // empty if all events are as expected
};
Run find_run(const std::vector<Event>& events, uint64_t executor);

}  // namespace skein::test
