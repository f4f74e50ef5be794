// Starts the desktop window, a separate program (cmake/SkeinDesktop.cmake explains why). It is
// beside this program in a build tree, and in libexec when both are installed.
#pragma once

#include <string>
#include <vector>

namespace skein::cli {

// Returns the path of that program. Throws CommandError(2) if it is not installed.
std::string window_program();

// Replaces this process by that program, with these options and traces. Throws CommandError(2) on
// failure.
[[noreturn]] void exec_viewer(const std::string& program, const std::vector<std::string>& options,
                              const std::vector<std::string>& traces);

// Runs that program, waits until it ends, and returns its exit code. Signals to end it go to both
// by the terminal; this process ends after it.
int run_viewer(const std::string& program, const std::vector<std::string>& options,
               const std::vector<std::string>& traces);

// Returns the number of a descriptor that the program inherits and that contains `bytes`, for
// --annotations. Throws CommandError(1) on failure.
std::string write_to_memfd(const std::string& bytes);

}  // namespace skein::cli
