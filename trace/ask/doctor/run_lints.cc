#include "trace/ask/doctor/lints.h"
#include "trace/ask/doctor/runs.h"

namespace skein::detail {

void look_at_runs(const Case& the_case, Findings& found) {
  if (!the_case.asked(Lint::RanTooLong) && !the_case.asked(Lint::LockAcrossWait)) return;
  std::vector<Run>& runs = found.sources.runs;
  runs = long_runs(the_case.model, the_case.waits, the_case.options.running);
  for (uint32_t i = 0; i < runs.size(); i++) {
    const Run& run = runs[i];
    const std::string_view kind = the_case.kind(run.task);
    if (kind == "thread" || kind == "process") continue;  // they may
    found.add({.lint = Lint::RanTooLong,
               .task = run.task,
               .begin = run.begin,
               .end = run.end,
               .duration = run.ran,
               .location = run.location != 0 ? run.location : the_case.task(run.task).location,
               .index = i});
  }
}

}  // namespace skein::detail
