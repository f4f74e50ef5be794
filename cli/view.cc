// `skein view`: traces in the desktop's window.
#include <memory>
#include <string>
#include <vector>

#include "base/disk_files.h"
#include "cli/commands.h"
#include "cli/running.h"
#include "cli/window.h"
#include "view/draw/theme.h"

namespace skein::cli {

namespace {

struct ViewArguments {
  std::vector<std::string> traces;
  std::string theme;
  std::string critical;
  bool new_window = false;
};

// What is not there is said here; what turns out to be no trace, in the window.
std::string existing_trace(const std::string& text) {
  const std::string path = trace_directory(text);
  DiskFiles files;
  if (files.type(path) == FileType::Missing)
    if (const auto opened = files.open(path); !opened) fail(2, opened.error().message());
  return path;
}

void view(const ViewArguments& arguments) {
  std::vector<std::string> options;
  if (arguments.new_window) options.push_back("--new-window");
  if (!arguments.theme.empty()) options.insert(options.end(), {"--theme", arguments.theme});
  if (!arguments.critical.empty())
    options.insert(options.end(), {"--critical-path", arguments.critical});
  std::vector<std::string> traces;
  for (const std::string& trace : arguments.traces) traces.push_back(existing_trace(trace));
  become_window(window_program(), options, traces);
}

}  // namespace

void add_view(CLI::App& app) {
  auto* command =
      app.add_subcommand("view", "Show traces in a window, also while they are recorded");
  auto arguments = std::make_shared<ViewArguments>();
  command->add_option("TRACE", arguments->traces,
                      "processes that record, directories that skein recorded, mirage-profile or "
                      "Eio trace files, or -; several are stacked on one time line");
  command->add_flag("--new-window", arguments->new_window, "a window for each TRACE");
  command->add_option("--critical-path", arguments->critical,
                      "where the time of this task went: its number, label or name");
  std::vector<std::string> names;
  for (const Theme& theme : themes) names.emplace_back(theme.name);
  command->add_option("--theme", arguments->theme, "instead of the one chosen last")
      ->check(CLI::IsMember(names));
  command->callback([arguments] { view(*arguments); });
}

}  // namespace skein::cli
