// `skein ps`: the live tasks, and what each waits for; without a trace, the processes that record.
#include <algorithm>
#include <utility>

#include "base/escape.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/live_tasks.h"
#include "cli/print.h"
#include "cli/running.h"
#include "cli/terminal.h"
#include "report/json.h"

namespace skein::cli {

namespace {

// A table is as wide as the terminal, or 100 columns.
size_t table_width() {
  const Terminal terminal = find_terminal();
  return terminal.is_terminal ? std::max<size_t>(terminal.columns, 40) : 100;
}

std::string processes_text(const std::vector<RecordedProcess>& processes) {
  if (processes.empty()) return "No recording process found.\n";
  std::vector<std::vector<std::string>> lines = {{"PID", "PROGRAM", "TRACE"}};
  for (const RecordedProcess& process : processes)
    lines.push_back(
        {std::to_string(process.pid), escaped(process.program), escaped(process.directory)});
  std::string out;
  append_columns(out, lines, "><<", 0);
  return out;
}

Json processes_json(const std::vector<RecordedProcess>& processes) {
  Json out = json_document("skein.processes/1");
  Json all = Json::array();
  for (const RecordedProcess& process : processes)
    all.add(Json::object(
        {{"pid", process.pid}, {"program", process.program}, {"trace", process.directory}}));
  out.set("processes", std::move(all));
  return out;
}

}  // namespace

int run_ps(const PsOptions& options) {
  Output out(stdout, options.json ? Output::Content::Data : Output::Content::Text);
  if (!options.trace) {
    const std::vector<RecordedProcess> processes = recorded_processes();
    out.text() += options.json ? processes_json(processes).text() : processes_text(processes);
    out.finish();
    return 0;
  }
  const LiveTaskList live = read_live_tasks(trace_directory(*options.trace));
  const size_t width = options.wide ? SIZE_MAX : table_width();
  out.text() += options.json ? live_tasks_json(live).text()
                             : live_tasks_text(live, {.tree = options.tree, .width = width});
  out.finish();
  return 0;
}

}  // namespace skein::cli
