// The doctor's lints, one function per file; examine() in doctor.cc calls them in the order of the
// declarations below. The lints of a file read the same rows of the model:
//
//   notify-before-wait     wait_lints.cc, diagnosis_lints.cc
//   lock-order-cycle       lock_lints.cc
//   destroyed-unresolved   task_lints.cc
//   never-started          task_lints.cc, diagnosis_lints.cc
//   handler-never-invoked  task_lints.cc, diagnosis_lints.cc
//   suspended-too-long     wait_lints.cc, diagnosis_lints.cc
//   ran-too-long           run_lints.cc
//   lock-across-wait       lock_lints.cc, object_lints.cc
//   operation-pending      task_lints.cc, diagnosis_lints.cc
//   self-wake              wait_lints.cc
//   sequential-awaits      sequence_lints.cc
//   counter-only-grows     level_lints.cc
//   queue-only-grows       level_lints.cc
//
// diagnosis_lints.cc reports the errors of `why` that the other files have not explained.
#pragma once

#include "trace/ask/doctor/findings.h"
#include "trace/ask/doctor/lint_context.h"

namespace skein::detail {

// ran-too-long. add_lock_findings() needs its runs.
void add_run_findings(const LintContext& context, Findings& found);
// lock-order-cycle, lock-across-wait
void add_lock_findings(LintContext& context, Findings& found);
// lock-across-wait: of objects of the program, which the trace does not show to be locks
void add_object_findings(const LintContext& context, Findings& found);
// notify-before-wait, suspended-too-long, self-wake: each wait separately
void add_wait_findings(LintContext& context, Findings& found);
// self-wake: handlers that post each other
void add_post_findings(const LintContext& context, Findings& found);
// self-wake: two tasks that wake each other through a timer
void add_cancel_findings(const LintContext& context, Findings& found);
// sequential-awaits
void add_sequence_findings(const LintContext& context, Findings& found);
// never-started, handler-never-invoked, operation-pending, destroyed-unresolved
void add_task_findings(LintContext& context, Findings& found);
// The diagnoses of `why`, as findings of the matching lint, unless another lint has reported them.
void add_diagnosis_findings(const LintContext& context, Findings& found);
// counter-only-grows, queue-only-grows
void add_level_findings(const LintContext& context, Findings& found);

}  // namespace skein::detail
