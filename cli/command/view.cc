// `skein view`: opens traces in the desktop window.
#include <string>
#include <vector>

#include "base/disk_files.h"
#include "cli/commands.h"
#include "cli/die.h"
#include "cli/input/running.h"
#include "cli/input/trace_input.h"
#include "cli/output/window.h"

namespace skein::cli {

namespace {

// Returns the path of the trace, or reports that it does not exist. The window reports other
// errors, such as a file that is not a trace.
std::string existing_trace(const std::string& text) {
  const std::string path = trace_directory(text);
  reject_core(path);
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
  std::vector<std::string> traces;
  for (const std::string& trace : options.traces) traces.push_back(existing_trace(trace));
  exec_viewer(window_program(), words, traces);
}

}  // namespace skein::cli
