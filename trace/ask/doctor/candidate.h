// What lints collect before similar results are merged into findings.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/ask/doctor/finding.h"
#include "trace/ask/doctor/growth.h"
#include "trace/ask/doctor/lock_order.h"
#include "trace/ask/doctor/runs.h"
#include "trace/ask/waits.h"
#include "trace/ask/why.h"

namespace skein::detail {

// What will be a finding if it is the worst of those that are alike.
struct Candidate {
  Lint lint;
  Finding::Severity severity = Finding::Severity::Warning;
  TaskIndex task = no_index;
  TaskIndex other = no_index;
  uint64_t begin = 0;
  uint64_t end = 0;
  uint64_t duration = 0;
  uint32_t location = 0;
  uint32_t index = Waits::none;  // of a wait, run, circle, diagnosis ...: as its lint needs
  uint32_t second = Waits::none;
  uint64_t value = 0;
};

// What candidates refer to by index, besides the waits.
struct Sources {
  std::vector<LockCycle> cycles = {};
  std::vector<Diagnosis> diagnoses = {};
  std::vector<Run> runs = {};
  std::vector<Growth> growths = {};
};

}  // namespace skein::detail
