// `skein stats`: tasks that are alike, how long they took, and where that time went.
#include "report/stats.h"

#include <unistd.h>

#include "cli/analysis.h"
#include "cli/commands.h"
#include "cli/fail.h"
#include "cli/print.h"
#include "cli/terminal.h"

namespace skein::cli {

namespace {

GroupBy way(const std::string& by) {
  return by == "kind" ? GroupBy::Kind : by == "location" ? GroupBy::Place : GroupBy::Name;
}

}  // namespace

int run_stats(const StatsOptions& options) {
  const auto [trace, model, waits] = open_analysis(options.trace);
  std::vector<TaskGroup> groups = task_groups(trace, model, waits, way(options.by));
  if (!options.name.empty()) {
    std::erase_if(groups, [&](const TaskGroup& g) { return g.name != options.name; });
    if (groups.empty()) fail(2, "no task group is named '" + options.name + "'");
  }
  Output out(stdout, options.json ? Output::Content::Data : Output::Content::Text);
  if (options.json) {
    out.text() += stats_json(groups).text();
  } else {
    out.text() += for_terminal(stats_text(groups, !waits.waits.empty()), trace);
    if (!options.name.empty())
      out.text() += '\n' + latency_histogram(groups[0], isatty(STDOUT_FILENO) ? "\u2588" : "#");
  }
  out.finish();
  return 0;
}

}  // namespace skein::cli
