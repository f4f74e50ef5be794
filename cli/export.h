// The formats of `skein export`, for the command line and its completion.
#pragma once

#include <span>
#include <string_view>

namespace skein::cli {

struct ExportFormat {
  enum class Bytes { Text, Binary };           // binary bytes are not written to a terminal
  enum class Choice { None, Table, Running };  // the option that only some formats have

  std::string_view name;
  std::string_view about;  // one line of --help
  Bytes bytes = Bytes::Text;
  Choice choice = Choice::None;
  bool needs_output = false;       // cannot be written to standard output
  bool makes_a_directory = false;  // the output is a directory
};

// In the order of the help text.
std::span<const ExportFormat> export_formats();

}  // namespace skein::cli
