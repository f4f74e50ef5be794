// What is asked of a trace that is shown: who waited for what, and what is wrong. As it takes as
// long as the model, it is made when it is first needed, or on another thread (LoadedTrace::find_problems).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "report/explain.h"
#include "trace/session/session.h"

namespace skein {

struct Findings {
  Findings(const Trace& trace, const Model& shown);

  // Waits are found in a model that is not simplified; its tasks are those of the one that is
  // shown.
  const Model& model(const Model& shown) const { return whole ? *whole : shown; }
  Subject subject(const Trace& trace, const Model& shown) const {
    return {trace, model(shown), waits};
  }

  std::optional<Model> whole;  // none: the one that is shown
  Waits waits;
  std::vector<Diagnosis> faults;  // of tasks that do not go on
  std::string alarm;              // "2 tasks do not go on: cycle"; empty: there are none
};

// The findings of each trace of a session, made when they are needed first.
class SessionFindings {
 public:
  explicit SessionFindings(const Session& session) : session_(session) {}

  const Findings& operator[](size_t which) const;
  Subject subject(size_t which) const {
    return (*this)[which].subject(session_[which].trace, session_[which].model);
  }
  // Number `which` is another trace, or a new one. Null: nothing has been found in it yet.
  void set_trace(size_t which, std::shared_ptr<const Findings> found);

 private:
  const Session& session_;
  mutable std::vector<std::shared_ptr<const Findings>> findings_;
};

}  // namespace skein
