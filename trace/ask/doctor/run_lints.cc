#include "trace/ask/doctor/lints.h"
#include "trace/ask/doctor/runs.h"

namespace skein::detail {

void add_run_findings(const LintContext& context, Findings& found) {
  if (!context.is_enabled(Lint::RanTooLong) && !context.is_enabled(Lint::LockAcrossWait)) return;
  std::vector<Run>& runs = found.sources.runs;
  runs = long_runs(context.model, context.waits, context.limit(Lint::RanTooLong));
  for (uint32_t i = 0; i < runs.size(); i++) {
    const Run& run = runs[i];
    const std::string_view kind = context.kind(run.task);
    if (kind == "thread" || kind == "process") continue;  // these may run long
    found.add({.lint = Lint::RanTooLong,
               .task = run.task,
               .begin = run.begin,
               .end = run.end,
               .duration = run.ran,
               .location = run.location != 0 ? run.location : context.task(run.task).location,
               .index = i});
  }
}

}  // namespace skein::detail
