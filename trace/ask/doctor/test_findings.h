// Findings in examples with diagrams (trace/model/example.h), for the doctor's tests.
#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "trace/ask/doctor/doctor.h"
#include "trace/model/example.h"

namespace skein {

using EvidenceKind = Finding::Evidence::Kind;

// In the examples a tick is 1 ns, and 100 ticks are long.
inline constexpr DoctorOptions drawn = {
    .suspended = 100, .running = 100, .held = 50, .self_wakes = 4, .posts = 4};
inline constexpr DoctorOptions strict = {
    .suspended = 100, .running = 100, .held = 50, .self_wakes = 4, .posts = 4, .strict = true};

inline std::vector<Finding> findings(const Trace& trace, const DoctorOptions& options = {}) {
  const Model model = build_model(trace, {.simplify = false});
  return examine(trace, model, find_waits(trace, model), options);
}

// "lint task other", one per line; " xN" is appended to merged findings.
inline std::string findings_text(const Example& e, const DoctorOptions& options = drawn) {
  std::ostringstream out;
  for (const Finding& f : findings(e.trace, options)) {
    out << name(f.lint) << " " << e.id(f.task) << " " << e.id(f.other);
    if (f.count > 1) out << " x" << f.count;
    out << "\n";
  }
  return out.str();
}

}  // namespace skein
