// `skein view`: opens traces in the desktop window.
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "base/disk_files.h"
#include "cli/commands.h"
#include "cli/die.h"
#include "cli/input/made_trace.h"
#include "cli/input/profile_input.h"
#include "cli/input/running.h"
#include "cli/input/trace_input.h"
#include "cli/output/temporary_trace.h"
#include "cli/output/window.h"
#include "view/viewer/annotations.h"

namespace skein::cli {

namespace {

// Returns the path of the trace, or reports that it does not exist. The window reports other
// errors, such as a file that is not a trace.
std::string existing_trace(const std::string& text) {
  const std::string path = trace_directory(text);
  DiskFiles files;
  if (files.type(path) == FileType::Missing)
    if (const auto opened = files.open(path); !opened) die(2, opened.error().message());
  return path;
}

}  // namespace

int run_view(const ViewOptions& options) {
  std::vector<std::string> words;
  if (options.new_window) words.push_back("--new-window");
  if (!options.theme.empty()) words.insert(words.end(), {"--theme", options.theme});
  if (!options.critical.empty()) words.insert(words.end(), {"--critical-path", options.critical});
  const std::string window = window_program();
  std::vector<std::string> traces;
  std::deque<TemporaryTrace> directories;
  std::string note;
  for (const std::string& trace : options.traces) {
    const std::optional<MadeTrace> made = make_trace(trace);
    if (!made) {
      traces.push_back(existing_trace(trace));
      continue;
    }
    traces.push_back(directories.emplace_back(made->trace, made->title).path());
    if (note.empty()) note = made->note;
  }
  if (directories.empty()) exec_viewer(window, words, traces);
  words.insert(
      words.end(),
      {"--annotations",
       write_to_memfd(write_annotations({.first = 0, .second = 0, .notes = {}, .text = note}))});
  return run_viewer(window, words, traces);
}

}  // namespace skein::cli
