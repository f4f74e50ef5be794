// The waits and findings of a trace that is shown. Computing them takes as long as the model, so it
// is done on first use, or on another thread (LoadedTrace::find_problems).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "report/explain.h"
#include "trace/ask/end_state.h"
#include "trace/session/session.h"
#include "view/layout/rows.h"

namespace skein {

struct Findings {
  Findings(const Trace& trace, const Model& shown, bool is_live);

  // Waits need a model that is not simplified. Its tasks are the same as those of the shown model.
  const Model& model(const Model& shown) const { return whole ? *whole : shown; }
  Subject subject(const Trace& trace, const Model& shown) const {
    return {trace, model(shown), waits};
  }

  // Why the task of the shown model is stuck, in terms of end.subject().
  Diagnosis diagnose(const Trace& trace, const Model& shown, TaskIndex task) const;

  std::optional<Model> whole;  // none: use the shown model
  Waits waits;
  EndState end;
  std::vector<TaskIndex> order;  // the stuck tasks, as `skein why` reports them, each once
  std::vector<StuckTask> stuck;  // the same by index
  std::vector<Model::Unheard> lost_cancels;  // of timers, by which stuck tasks would have woken
  std::string alarm;                         // "1 stuck task: lost wake-up"; empty: none
};

// The findings of each trace of a session, computed on first use.
class SessionFindings {
 public:
  explicit SessionFindings(const Session& session) : session_(session) {}

  const Findings& operator[](size_t which) const;
  Subject subject(size_t which) const {
    return (*this)[which].subject(session_[which].trace, session_[which].model);
  }
  // The state that diagnoses refer to.
  Subject state(size_t which) const { return (*this)[which].end.subject(subject(which)); }
  Diagnosis diagnose(size_t which, TaskIndex task) const {
    return (*this)[which].diagnose(session_[which].trace, session_[which].model, task);
  }
  // The task of a diagnosis, in the shown model.
  TaskIndex shown(size_t which, TaskIndex task) const {
    return (*this)[which].end.in_whole(session_[which].model, task);
  }
  // Null: not known yet.
  const Findings* known(size_t which) const { return findings_[which].get(); }
  uint32_t version() const { return version_; }  // changes when findings become known
  // Replaces or adds trace number `which`. Null: not analysed yet.
  void set_trace(size_t which, std::shared_ptr<const Findings> found);
  std::shared_ptr<const Findings> shared(size_t which) const { return findings_[which]; }

 private:
  const Session& session_;
  mutable std::vector<std::shared_ptr<const Findings>> findings_;
  mutable uint32_t version_ = 1;
};

}  // namespace skein
