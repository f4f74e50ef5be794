// What looks wrong in a trace: the findings of all lints (lint_schema.h), each with its evidence.
//
//   for (const Finding& f : examine(trace, model, waits))
//     print(name(f.lint), f.task, f.evidence);
//
// As it is asked by default it is silent about programs that are well: what waits for a peer, a
// timer or work may do so for ever, and a program that ends destroys what still waits. `strict`
// asks for these, too. What each lint takes as a sign is in docs/doctor.md.
//
// Findings that are alike (the same lint at the same places) are one, with a count; its evidence is
// that of the worst. O(events + waits log waits).
#pragma once

#include <vector>

#include "trace/ask/doctor/finding.h"
#include "trace/ask/waits.h"

namespace skein {

// The worst first. `waits` must be of the same unsimplified model.
std::vector<Finding> examine(const Trace& trace, const Model& model, const Waits& waits,
                             const DoctorOptions& options = {});

}  // namespace skein
