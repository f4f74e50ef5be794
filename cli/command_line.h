// Parses the command line and runs the command.
#pragma once

#include <iosfwd>

namespace skein::cli {

// Runs the command and returns the program's exit code (cli/die.h). Writes help and version to
// `out`, and one line to `err` for bad usage.
int run_command_line(int argc, const char* const* argv, std::ostream& out, std::ostream& err);

}  // namespace skein::cli
