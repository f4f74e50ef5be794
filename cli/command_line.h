// From the words of the command line to the command that they name.
#pragma once

#include <iosfwd>

namespace skein::cli {

// Runs the command and returns the program's exit code (cli/die.h). Help texts and the version go
// to `out`, bad usage to `err`, in one line.
int run_command_line(int argc, const char* const* argv, std::ostream& out, std::ostream& err);

}  // namespace skein::cli
