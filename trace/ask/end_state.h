// Which tasks are stuck, and why: the one notion of it, for `skein why` and all that viewers show.
//
//   const EndState end({trace, model, waits}, is_live);
//   const Subject subject = end.subject(whole);     // what the diagnoses refer to
//   for (const EndState::Stuck& s : end.stuck()) print(end.diagnoses()[s.diagnosis], s.task);
//
// The state is that at the end of the trace. A program that ended by itself first destroyed what
// was left, and then nothing waits any more: the state is then that when it began to do so, from a
// model of the events until then. Its tasks usually have the same indices as in the whole model,
// but not if a ring's task table has others: in_whole() and in_state() convert them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "trace/ask/why.h"

namespace skein {

class EndState {
 public:
  struct Stuck {
    TaskIndex task = no_index;  // of the state
    size_t diagnosis = 0;       // the first that is about it, in diagnoses()
  };

  EndState() = default;  // of an empty trace
  // `whole` has all events. A live program has not ended, whatever it has destroyed. Builds another
  // model only if the program has destroyed what was left.
  EndState(const Subject& whole, bool is_live);

  // `whole`: as in the constructor, or moved since.
  Subject subject(const Subject& whole) const {
    return {whole.trace, model_ ? *model_ : whole.model, waits_ ? *waits_ : whole.waits};
  }
  // When the program began to destroy what was left; 0: it did not, or runs.
  uint64_t teardown() const { return teardown_; }
  // diagnose_all() of the state.
  std::span<const Diagnosis> diagnoses() const { return diagnoses_; }
  // The tasks of the errors, in that order, each once.
  std::span<const Stuck> stuck() const { return stuck_; }
  // Of a task of the state.
  Diagnosis diagnose(const Subject& whole, TaskIndex task) const {
    return skein::diagnose(subject(whole), diagnoses_, task);
  }

  // no_index: the task does not exist there.
  TaskIndex in_whole(const Model& whole, TaskIndex task) const;
  TaskIndex in_state(const Model& whole, TaskIndex task) const;

 private:
  uint64_t teardown_ = 0;
  std::optional<Model> model_;  // none: the whole one
  std::optional<Waits> waits_;
  std::vector<Diagnosis> diagnoses_;
  std::vector<Stuck> stuck_;
};

}  // namespace skein
