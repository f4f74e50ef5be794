// Opens the picture that `render` and `show` draw: traces, time range and highlighted tasks.
#pragma once

#include <string>

#include "cli/commands.h"
#include "view/viewer/viewer.h"

namespace skein::cli {

struct Picture {
  Viewer viewer;  // contains all traces; the selected tasks are highlighted
  std::string title;
  std::string note = {};  // about the whole picture, escaped; empty: none
  const Theme* theme = nullptr;  // null: no --theme
  bool whole = true;             // false: only the range below, in ns
  double from = 0;
  double to = 0;
};
// Reports losses on stderr. Throws CommandError(2) if a trace, time or theme is invalid, and
// CommandError(1) if no task matches.
Picture open_picture(const PictureOptions& options);

}  // namespace skein::cli
