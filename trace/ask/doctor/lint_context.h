// The input of all lints, and the waits that they have reported so far.
#pragma once

#include <algorithm>
#include <cassert>
#include <string_view>
#include <vector>

#include "trace/ask/doctor/finding.h"
#include "trace/ask/doctor/lint_schema.h"
#include "trace/ask/task_kinds.h"
#include "trace/ask/waits.h"

namespace skein::detail {

class LintContext {
 public:
  LintContext(const Subject& subject, const DoctorOptions& options);

  const Trace& trace;
  const Model& model;
  const Waits& waits;
  const DoctorOptions& options;
  const bool is_mirage;

  bool is_enabled(Lint lint) const { return options.lints >> static_cast<unsigned>(lint) & 1; }
  // The threshold of a lint that has one, ns.
  uint64_t limit(Lint lint) const {
    assert(lint_schema(lint).limit != nullptr);
    return options.*lint_schema(lint).limit;
  }

  const Model::Task& task(TaskIndex index) const { return model.tasks[index]; }
  KindClass kind_class(TaskIndex index) const {
    const uint32_t kind = task(index).kind;
    return kind < kind_classes_.size() ? kind_classes_[kind] : KindClass::Other;
  }
  std::string_view kind(TaskIndex index) const {
    const uint32_t number = task(index).kind;
    return number < trace.kinds.size() ? trace.strings[trace.kinds[number]] : "";
  }
  bool is_handler(TaskIndex index) const {
    return kind_class(index) == KindClass::Handler || kind_class(index) == KindClass::Callback;
  }
  bool is_lock(TaskIndex index) const {
    return kind_class(index) == KindClass::Mutex || kind_class(index) == KindClass::Semaphore;
  }
  bool is_mutex(TaskIndex index) const { return kind_class(index) == KindClass::Mutex; }
  bool was_destroyed(TaskIndex index) const { return task(index).how == Model::End::Cancelled; }
  bool is_open(TaskIndex index) const {
    return task(index).how == Model::End::Open && !may_have_ended(index);
  }
  // Whether the task may have ended although the trace does not contain its end.
  bool may_have_ended(TaskIndex index) const {
    return !may_have_ended_.empty() && may_have_ended_[index];
  }

  uint64_t until_end(uint64_t time) const { return std::min(time, model.end); }
  uint64_t length(const Waits::Wait& w) const {
    return until_end(w.end) - std::min(until_end(w.end), w.begin);
  }
  uint32_t index_of(const Waits::Wait& w) const {
    return static_cast<uint32_t>(&w - waits.waits.data());
  }

  // Marks the wait as explained by a finding, so that no other lint reports it.
  void explain(uint32_t wait) { explained_[wait] = true; }
  bool is_explained(uint32_t wait) const { return explained_[wait]; }

 private:
  std::vector<KindClass> kind_classes_;  // by kind
  std::vector<bool> may_have_ended_;     // by task; empty: false for all
  std::vector<bool> explained_;          // by wait
};

}  // namespace skein::detail
