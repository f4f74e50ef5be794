// `skein ps`: the tasks that are alive, and what each waits for.
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

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

int run_ps(const PsOptions& options) {
  const LiveTasks live = read_live_tasks(trace_directory(options.trace));
  const size_t width = options.wide ? SIZE_MAX : terminal_width();
  Output out(stdout);
  out.text() += options.json ? live_tasks_json(live) : live_tasks_text(live, options.tree, width);
  out.finish();
  return 0;
}

}  // namespace skein::cli
