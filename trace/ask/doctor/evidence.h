// What a finding of the doctor's is put together from: which of those that are alike is the worst
// is found first, and only of that one who did what, and when.
#pragma once

#include <vector>

#include "trace/ask/busiest.h"
#include "trace/ask/doctor/doctor.h"
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

// What candidates refer to by index.
struct Sources {
  const Model& model;
  const Waits& waits;
  std::vector<LockCycle> cycles = {};
  std::vector<Diagnosis> diagnoses = {};
  std::vector<Run> runs = {};
  std::vector<Growth> growths = {};
};

// Those that are asked for first have more: who ran instead, how many could have run, are found by
// looking at very many rows.
class EvidenceFinder {
 public:
  explicit EvidenceFinder(const Sources& sources) : sources_(sources) {}

  std::vector<Finding::Evidence> find(const Candidate& candidate);

 private:
  using Evidence = Finding::Evidence;

  const Model::Task& task(TaskIndex index) const { return sources_.model.tasks[index]; }
  bool has_ended(TaskIndex index) const { return task(index).how != Model::End::Open; }
  bool may_look_at(size_t rows);
  Evidence created(TaskIndex index) const;
  Evidence ended(TaskIndex index) const;
  Evidence waits(uint32_t index) const;
  Evidence holds(uint32_t index) const;
  void add_edges(std::vector<Evidence>& out, const LockCycle& cycle) const;
  void add_chain(std::vector<Evidence>& out, const Diagnosis& diagnosis) const;
  void add_long_wait(std::vector<Evidence>& out, const Candidate& candidate);
  void add_longest_holding(std::vector<Evidence>& out, const Candidate& candidate) const;
  void add_busiest(std::vector<Evidence>& out, uint32_t executor, const Candidate& candidate);
  uint64_t could_have_run(const Run& run);

  const Sources& sources_;
  Busiest busiest_{sources_.model};
  uint64_t looked_at_ = 0;
};

}  // namespace skein::detail
