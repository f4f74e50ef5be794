// The results of lints, before similar ones are merged into findings.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/ask/doctor/finding.h"
#include "trace/ask/doctor/growth.h"
#include "trace/ask/doctor/lock_order.h"
#include "trace/ask/doctor/runs.h"
#include "trace/ask/held_objects.h"
#include "trace/ask/waits.h"
#include "trace/ask/why.h"

namespace skein::detail {

// A possible finding. Of similar candidates, the worst becomes the finding.
struct Candidate {
  Lint lint;
  Finding::Severity severity = Finding::Severity::Warning;
  TaskIndex task = no_index;
  TaskIndex other = no_index;
  uint64_t begin = 0;
  uint64_t end = 0;
  uint64_t duration = 0;
  uint32_t location = 0;
  uint32_t index = Waits::none;  // of a wait, run, cycle, diagnosis ..., depending on the lint
  uint32_t second = Waits::none;
  uint64_t value = 0;
};

// Objects that candidates refer to by index, in addition to the waits.
struct Sources {
  std::vector<LockCycle> cycles = {};
  std::vector<Diagnosis> diagnoses = {};
  std::vector<Run> runs = {};
  std::vector<Growth> growths = {};
  std::vector<HeldObject> held = {};
};

}  // namespace skein::detail
