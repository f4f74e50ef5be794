// What is asked of a trace that is shown: who waited for what, and what is wrong. As it takes as
// long as the model, it is made when it is first needed, or on another thread (LoadedTrace::ask).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/explain.h"

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

}  // namespace skein
