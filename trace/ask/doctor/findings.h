// What the doctor's lints find. What is alike is one finding, and only for the worst of it is put
// together who did what, and when.
#pragma once

#include <array>
#include <map>
#include <vector>

#include "trace/ask/doctor/case.h"
#include "trace/ask/doctor/growth.h"
#include "trace/ask/doctor/lock_order.h"
#include "trace/ask/doctor/runs.h"
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

class Findings {
 public:
  explicit Findings(const Case& the_case) : case_(the_case) {}

  Sources sources;

  // Nothing happens if its lint is not asked for.
  void add(const Candidate& candidate);

  // The worst first.
  std::vector<Finding> all() const;

 private:
  using Key = std::array<uint64_t, 6>;
  struct Group {
    Candidate worst;
    uint64_t count = 0;
    uint64_t total = 0;
  };

  void add_identity(uint64_t* key, TaskIndex index) const;

  const Case& case_;
  std::map<Key, Group> groups_;
};

}  // namespace skein::detail
