// Finds the evidence for findings. The worst of similar candidates is determined first, so that
// evidence is collected for that one only.
#pragma once

#include <vector>

#include "trace/ask/busiest.h"
#include "trace/ask/doctor/candidate.h"
#include "trace/ask/doctor/lint_context.h"

namespace skein::detail {

// The first findings get more evidence: to find the task that ran instead, and the number of
// runnable tasks, takes a search through very many rows.
class EvidenceFinder {
 public:
  EvidenceFinder(const LintContext& context, const Sources& sources)
      : model_(context.model), waits_(context.waits), sources_(sources) {}

  std::vector<Finding::Evidence> find(const Candidate& candidate);

 private:
  using Evidence = Finding::Evidence;

  const Model::Task& task(TaskIndex index) const { return model_.tasks[index]; }
  bool has_ended(TaskIndex index) const { return task(index).how != Model::End::Open; }
  bool may_look_at(size_t rows);
  Evidence created(TaskIndex index) const;
  Evidence ended(TaskIndex index) const;
  Evidence waits(uint32_t index) const;
  Evidence holds(uint32_t index) const;
  Evidence ran(const Candidate& candidate);
  void add(std::vector<Evidence>& out, const Candidate& candidate);
  void add_lost_wakeup(std::vector<Evidence>& out, const Candidate& candidate) const;
  void add_destroyed(std::vector<Evidence>& out, const Candidate& candidate) const;
  void add_never_run(std::vector<Evidence>& out, const Candidate& candidate);
  static void add_growth(std::vector<Evidence>& out, const Growth& growth);
  void add_edges(std::vector<Evidence>& out, const LockCycle& cycle) const;
  void add_chain(std::vector<Evidence>& out, const Diagnosis& diagnosis) const;
  void add_long_wait(std::vector<Evidence>& out, const Candidate& candidate);
  void add_longest_holding(std::vector<Evidence>& out, const Candidate& candidate) const;
  void add_busiest(std::vector<Evidence>& out, uint32_t executor, const Candidate& candidate);
  uint64_t could_have_run(const Run& run);

  const Model& model_;
  const Waits& waits_;
  const Sources& sources_;
  Busiest busiest_{model_};
  uint64_t looked_at_ = 0;
};

}  // namespace skein::detail
