// `skein doctor`: checks a trace for concurrency bugs and prints the findings with their evidence.
#include "report/doctor.h"

#include <algorithm>
#include <map>
#include <optional>

#include "base/duration.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/die.h"
#include "cli/input/analysis.h"
#include "cli/input/running.h"
#include "cli/input/trace_input.h"
#include "cli/output/page.h"
#include "cli/output/report_output.h"
#include "cli/output/window.h"
#include "view/viewer/annotations.h"

namespace skein::cli {

namespace {

void set_time(uint64_t& to, const std::string& option, const std::string& text) {
  if (text.empty()) return;
  const std::optional<double> time = parse_duration(text);
  if (!time || !(*time >= 1) || *time > 1e18)
    die(2, option + ": invalid duration '" + text + "' (examples: 1.5s, 20ms, 300us, 7ns)");
  to = static_cast<uint64_t>(*time);
}

skein::DoctorOptions understand(const DoctorOptions& options) {
  skein::DoctorOptions wanted{.strict = options.strict};
  set_time(wanted.suspended, "--longer-than", options.longer_than);
  set_time(wanted.running, "--runs-longer-than", options.runs_longer_than);
  set_time(wanted.held, "--held-longer-than", options.held_longer_than);
  if (!options.only.empty()) wanted.lints = 0;
  for (const std::string& only : options.only) {
    const std::optional<Lint> lint = find_lint(only);
    if (!lint) die(2, "--only: unknown lint '" + only + "'; see skein doctor --list");
    wanted.lints |= 1u << static_cast<unsigned>(*lint);
  }
  return wanted;
}

// Returns the annotations of a picture: a note for each finding that has a task.
Annotations annotations_of(const Analysis& analysis, const DoctorReport& report,
                           const std::vector<Finding>& found) {
  Annotations annotations{.first = 0, .second = 0};
  std::map<Finding::Severity, size_t> counts;
  for (const Finding& f : found) {
    counts[f.severity]++;
    const TaskIndex task = report.picture(f).task;
    if (task == no_index) continue;
    annotations.notes.push_back({.task = analysis.model.tasks[task].id,
                                 .clock = analysis.trace.info.start + f.begin,
                                 .text = report.text(f)});
  }
  for (const auto& [severity, count] : counts)
    annotations.text +=
        (annotations.text.empty() ? "skein doctor: " : ", ") + counted(count, name(severity));
  return annotations;
}

}  // namespace

int run_doctor(const DoctorOptions& options) {
  if (options.list) {
    Output out = report_output(false);
    out.text() += lint_list_text(text_columns());
    out.finish();
    return 0;
  }
  if (options.trace.empty()) die(2, "missing TRACE argument; see skein doctor --help");
  const bool draws = options.view || !options.page.empty();
  if (draws) reject_stdio({&options.trace, 1}, options.page);
  const std::string window = options.view ? window_program() : "";
  skein::DoctorOptions wanted = understand(options);
  const std::string path = trace_directory(options.trace);
  const Analysis analysis = open_analysis(options.trace, {}, {.profiles = false});
  require_recording(analysis.trace, path);
  wanted.is_live = analysis.is_live;
  const DoctorReport report({analysis.trace, analysis.model, analysis.waits}, path);
  const std::vector<Finding> found =
      examine(analysis.trace, analysis.model, analysis.waits, wanted);
  print_report(
      options.json, analysis.trace, [&] { return report.json(found); },
      [&](size_t) { return report.text(found); });
  const std::string annotations =
      draws ? write_annotations(annotations_of(analysis, report, found)) : "";
  if (!options.page.empty())
    write_page({.traces = {path}, .output = options.page, .annotations = annotations});
  if (options.view) exec_viewer(window, {"--annotations", write_to_memfd(annotations)}, {path});
  const bool has_notes_only = std::all_of(found.begin(), found.end(), [](const Finding& f) {
    return f.severity == Finding::Severity::Note;
  });
  return has_notes_only && (found.empty() || !options.strict) ? 0 : 1;
}

}  // namespace skein::cli
