// `skein ps`: the tasks that are alive, and what each waits for.
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "cli/commands.h"
#include "cli/live_tasks.h"
#include "cli/print.h"
#include "cli/running.h"

namespace skein::cli {

namespace {

size_t terminal_width() {
  winsize size{};
  if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    return std::max<size_t>(size.ws_col, 40);
  return 100;
}

}  // namespace

void add_ps(CLI::App& app) {
  struct Options {
    std::string trace;
    bool json = false;
    bool tree = false;
    bool wide = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("ps", "The tasks that are alive: state, since when, where, on what");
  command->add_option("TRACE", options->trace, "a process that records, or a trace")->required();
  command->add_flag("--json", options->json, "as one JSON object");
  command->add_flag("--tree", options->tree, "children under their parents");
  command->add_flag("--wide", options->wide, "all columns, nothing cut to the terminal's width");
  command->callback([options] {
    const LiveTasks live = read_live_tasks(trace_directory(options->trace));
    const size_t width = options->wide ? SIZE_MAX : terminal_width();
    Output out(stdout);
    out.text() +=
        options->json ? live_tasks_json(live) : live_tasks_text(live, options->tree, width);
    out.finish();
  });
}

}  // namespace skein::cli
