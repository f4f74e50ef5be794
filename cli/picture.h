// What `render` and `show` have in common: which traces, which stretch of time, what is looked for.
#pragma once

#include <optional>
#include <string>
#include <string_view>

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

// "1.5s", "20ms", "300us", "7ns" in ns; a number alone is of seconds.
std::optional<double> parse_time(std::string_view text);

}  // namespace skein::cli
