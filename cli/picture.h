// What `render` and `show` have in common: which traces, which stretch of time, what is looked for.
//
//   add_picture_arguments(*command, arguments);
//   command->callback([=] { Picture picture = open_picture(arguments); ... });
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "view/viewer/viewer.h"

namespace skein::cli {

struct PictureArguments {
  std::vector<std::string> traces;
  std::string from;
  std::string to;
  std::string select;
  std::string critical;
  std::string theme;
};
void add_picture_arguments(CLI::App& command, PictureArguments& arguments);

struct Picture {
  Viewer viewer;  // with all the traces, and what was looked for highlighted
  std::string title;
  const Theme* theme = nullptr;  // null: none was asked for
  bool whole = true;             // else the stretch of time below, in ns
  double from = 0;
  double to = 0;
};
// Says on stderr what was lost; throws CLI::RuntimeError, with a message, for what is no trace (2),
// a time that makes no sense (2), and if what was looked for is not there (1).
Picture open_picture(const PictureArguments& arguments);

// "1.5s", "20ms", "300us", "7ns" in ns; a number alone is of seconds.
std::optional<double> parse_time(std::string_view text);

}  // namespace skein::cli
