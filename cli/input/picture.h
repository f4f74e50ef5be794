// What `render` and `show` have in common: which traces, which stretch of time, what is looked for.
#pragma once

#include <string>

#include "cli/commands.h"
#include "view/viewer/viewer.h"

namespace skein::cli {

struct Picture {
  Viewer viewer;  // with all the traces, and what was looked for highlighted
  std::string title;
  const Theme* theme = nullptr;  // null: none was asked for
  bool whole = true;             // else the stretch of time below, in ns
  double from = 0;
  double to = 0;
};
// Reports losses on stderr. Throws CommandError for what is no trace (2), an invalid time (2), and
// if no task matches (1).
Picture open_picture(const PictureOptions& options);

}  // namespace skein::cli
