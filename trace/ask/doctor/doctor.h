// Reports problems in a trace: the findings of all lints (lint_schema.h), each with its evidence.
//
//   for (const Finding& f : examine(trace, model, waits))
//     print(name(f.lint), f.task, f.evidence);
//
// With the default options it reports nothing about correct programs: a task may wait for a peer, a
// timer or work forever, and a program that exits destroys its waiting tasks. With `strict` it
// reports these too. docs/doctor.md describes what each lint reports.
//
// Of a profile's samples (TraceInfo::is_sampled) there are no findings.
//
// Similar findings (the same lint at the same locations) are merged, with a count and the evidence
// of the worst. O(events + waits log waits).
#pragma once

#include <vector>

#include "trace/ask/doctor/finding.h"
#include "trace/ask/waits.h"

namespace skein {

// The worst finding first. `waits` must be of the same unsimplified model.
std::vector<Finding> examine(const Trace& trace, const Model& model, const Waits& waits,
                             const DoctorOptions& options = {});

}  // namespace skein
