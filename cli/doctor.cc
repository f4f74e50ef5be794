// `skein doctor`: what looks wrong in a trace, each with its evidence and where to look at it.
#include "trace/ask/doctor/doctor.h"

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/escape.h"
#include "cli/asked.h"
#include "cli/commands.h"
#include "cli/doctor_report.h"
#include "cli/page.h"
#include "cli/picture.h"
#include "cli/print.h"
#include "cli/running.h"
#include "cli/window.h"
#include "view/viewer/links.h"

namespace skein::cli {

namespace {

struct Options {
  std::string trace;
  std::string longer_than;
  std::string runs_longer_than;
  std::string held_longer_than;
  std::vector<std::string> only;
  bool strict = false;
  bool list = false;
  bool json = false;
  bool view = false;
  std::string page;
};

void set_time(uint64_t& to, const std::string& option, const std::string& text) {
  if (text.empty()) return;
  const std::optional<double> time = parse_time(text);
  if (!time || !(*time >= 1) || *time > 1e18)
    fail(2, option + ": '" + text + "' is no duration; say 1.5s, 20ms, 300us or 7ns");
  to = static_cast<uint64_t>(*time);
}

DoctorOptions understand(const Options& options) {
  DoctorOptions asked{.strict = options.strict};
  set_time(asked.suspended, "--longer-than", options.longer_than);
  set_time(asked.running, "--runs-longer-than", options.runs_longer_than);
  set_time(asked.held, "--held-longer-than", options.held_longer_than);
  if (!options.only.empty()) asked.lints = 0;
  for (const std::string& only : options.only) {
    const std::optional<Lint> lint = find_lint(only);
    if (!lint) fail(2, "--only: there is no lint '" + only + "'; skein doctor --list names them");
    asked.lints |= 1u << static_cast<unsigned>(*lint);
  }
  return asked;
}

void add_list(std::string& out) {
  std::vector<std::vector<std::string>> lines;
  for (size_t i = 0; i < lint_count; i++) {
    const auto lint = static_cast<Lint>(i);
    lines.push_back({std::string(name(lint)), std::string(meaning(lint))});
  }
  append_columns(out, lines, "<<", 0);
}

// What a picture shows of it: each finding at its place.
Links links_of(const Asked& asked, const DoctorReport& report, const std::vector<Finding>& found) {
  Links links{.first = 0, .second = 0};
  std::map<Finding::Severity, size_t> counts;
  for (const Finding& f : found) {
    counts[f.severity]++;
    const TaskIndex task = report.picture(f).task;
    if (task == no_index) continue;
    links.notes.push_back({.task = asked.model.tasks[task].id,
                           .clock = asked.trace.facts.start + f.begin,
                           .text = report.text(f)});
  }
  for (const auto& [severity, count] : counts)
    links.text += (links.text.empty() ? "skein doctor: " : ", ") + grouped(count) + ' ' +
                  std::string(name(severity)) + (count == 1 ? "" : "s");
  return links;
}

}  // namespace

void add_doctor(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("doctor", "What looks wrong, each with its evidence");
  command->add_option("TRACE", options->trace, "a process that records, or a trace");
  command->add_option("--longer-than", options->longer_than,
                      "a wait that is longer is too long (1s)");
  command->add_option("--runs-longer-than", options->runs_longer_than,
                      "likewise a run without a suspension (100ms)");
  command->add_option("--held-longer-than", options->held_longer_than,
                      "likewise a wait for a lock whose holder waits (100ms)");
  command->add_flag("--strict", options->strict, "also what is mostly as intended");
  command->add_option("--only", options->only, "only this lint; several by commas")
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_flag("--list", options->list, "the lints");
  command->add_flag("--json", options->json, "as one JSON object");
  command->add_option("--html", options->page, "also a page with the findings in the picture");
  command->add_flag("--view", options->view, "also the window, likewise");
  command->callback([options] {
    Output out(stdout);
    if (options->list) {
      add_list(out.text());
      return out.finish();
    }
    if (options->trace.empty()) fail(2, "which TRACE? skein doctor --help");
    const bool draws = options->view || !options->page.empty();
    if (draws) refuse_streams({&options->trace, 1}, options->page);
    const std::string window = options->view ? window_program() : "";
    DoctorOptions wanted = understand(*options);
    const std::string path = trace_directory(options->trace);
    wanted.goes_on = path != options->trace;  // by its process id
    const Asked asked = open_asked(options->trace);
    const DoctorReport report(asked, path);
    const std::vector<Finding> found = examine(asked.trace, asked.model, asked.waits, wanted);
    if (options->json) {
      nlohmann::ordered_json all = nlohmann::ordered_json::array();
      for (const Finding& f : found) all.push_back(report.to_json(f));
      out.text() += nlohmann::ordered_json{{"findings", std::move(all)}}.dump(2) + '\n';
    } else {
      if (found.empty()) out.text() += "Nothing looks wrong.\n";
      for (const Finding& f : found) {
        if (&f != &found.front()) out.text() += '\n';
        report.add(out.text(), f);
      }
    }
    out.finish();
    const std::string links = draws ? write_links(links_of(asked, report, found)) : "";
    if (!options->page.empty())
      write_page({.traces = {path}, .output = options->page, .links = links});
    if (options->view) become_window(window, {"--links", hand_over(links)}, {path});
    if (!found.empty()) throw CLI::RuntimeError(1);
  });
}

}  // namespace skein::cli
