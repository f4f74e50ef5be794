// `skein ps`: lists live tasks and what each waits for; without a trace, the recording processes.
#include <utility>

#include "base/escape.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/input/live_tasks.h"
#include "cli/input/running.h"
#include "cli/output/memory_report.h"
#include "cli/output/memory_section.h"
#include "cli/output/report_output.h"
#include "cli/output/unprepared_report.h"
#include "report/json.h"

namespace skein::cli {

namespace {

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
  if (!options.trace) {
    const std::vector<RecordedProcess> processes = recorded_processes();
    print_report(
        options.json, [&] { return processes_json(processes); },
        [&](size_t) { return processes_text(processes); });
    return 0;
  }
  const UnpreparedRequest request{.target = *options.trace,
                                  .report = UnpreparedReport::List,
                                  .json = options.json,
                                  .stop = options.stop,
                                  .locals = options.locals,
                                  .group = options.group,
                                  .program = options.program,
                                  .search_limit = options.search_limit};
  if (const auto status = report_unprepared(request)) return *status;
  const std::string directory = trace_directory(*options.trace);
  MemoryReport memory;
  if (directory != *options.trace)
    memory = read_memory(request, options.search_memory);
  else
    refuse_without_memory(request);
  LiveTaskList live = read_live_tasks(directory);
  add_places(memory.check, live);
  const auto text = [&](size_t columns) {
    const LiveTaskLayout layout{.tree = options.tree, .width = options.wide ? SIZE_MAX : columns};
    if (options.group) return grouped_tasks_text(memory, live, layout, columns);
    return live_tasks_text(live, layout) + memory_text(memory, columns);
  };
  const auto json = [&] {
    Json all = live_tasks_json(live);
    add_memory_json(memory, all);
    return all;
  };
  print_report(options.json, json, text);
  return 0;
}

}  // namespace skein::cli
