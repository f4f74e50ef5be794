// `skein stats`: summarises groups of similar tasks: their durations and where that time went.
#include "report/stats.h"

#include <unistd.h>

#include "cli/commands.h"
#include "cli/die.h"
#include "cli/input/analysis.h"
#include "cli/output/report_output.h"

namespace skein::cli {

namespace {

GroupBy way(const std::string& by) {
  return by == "kind" ? GroupBy::Kind : by == "location" ? GroupBy::Location : GroupBy::Name;
}

}  // namespace

int run_stats(const StatsOptions& options) {
  const Analysis a = open_analysis(options.trace);
  std::vector<TaskGroup> groups = task_groups(a.trace, a.model, a.waits, way(options.by));
  if (!options.name.empty()) {
    std::erase_if(groups, [&](const TaskGroup& g) { return g.name != options.name; });
    if (groups.empty()) die(2, "no task group is named '" + options.name + "'");
  }
  const auto text = [&](size_t) {  // a bar of the histogram is not wrapped
    std::string out = for_terminal(stats_text(groups, !a.waits.waits.empty()), a.trace);
    if (!options.name.empty())
      out += '\n' + latency_histogram(groups[0], isatty(STDOUT_FILENO) ? "\u2588" : "#");
    return out;
  };
  print_report(
      options.json, [&] { return stats_json(groups); }, text);
  return 0;
}

}  // namespace skein::cli
