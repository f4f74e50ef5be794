// `skein view`: the desktop's window, which is a program of its own (cmake/SkeinDesktop.cmake says
// why). It lies beside this one in a build tree, and in libexec where both are installed.
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/disk_files.h"
#include "cli/commands.h"
#include "cli/running.h"
#include "view/draw/theme.h"

namespace skein::cli {

namespace {

struct ViewArguments {
  std::vector<std::string> traces;
  std::string theme;
  std::string critical;
  bool new_window = false;
};

// Empty: this build has none.
std::string window_program() {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return {};
  const auto beside = self.parent_path() / "skein-view";
  const auto installed = self.parent_path().parent_path() / SKEIN_LIBEXEC / "skein-view";
  for (const auto& candidate : {beside, installed})
    if (access(candidate.c_str(), X_OK) == 0) return candidate;
  return {};
}

// What is not there is said here; what turns out to be no trace, in the window.
std::string existing_trace(const std::string& text) {
  const std::string path = trace_directory(text);
  DiskFiles files;
  if (files.type(path) == FileType::Missing)
    if (const auto opened = files.open(path); !opened) fail(2, opened.error().message());
  return path;
}

void view(const ViewArguments& arguments) {
  std::vector<std::string> words{"skein-view"};
  if (arguments.new_window) words.push_back("--new-window");
  if (!arguments.theme.empty()) words.insert(words.end(), {"--theme", arguments.theme});
  if (!arguments.critical.empty())
    words.insert(words.end(), {"--critical-path", arguments.critical});
  words.push_back("--");
  for (const std::string& trace : arguments.traces) words.push_back(existing_trace(trace));
  const std::string program = window_program();
  if (program.empty())
    fail(2,
         "the desktop's window (skein-view) is not installed; install it, or use skein html or "
         "skein show");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  execv(program.c_str(), argv.data());
  fail(2, program + ": " + std::strerror(errno));
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
