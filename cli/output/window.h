// The desktop's window, which is a program of its own (cmake/SkeinDesktop.cmake says why). It lies
// beside this one in a build tree, and in libexec where both are installed.
#pragma once

#include <string>
#include <vector>

namespace skein::cli {

// Ends with exit code 2 if this build has none.
std::string window_program();

// Goes on as that program, with these options and traces.
[[noreturn]] void exec_viewer(const std::string& program, const std::vector<std::string>& options,
                              const std::vector<std::string>& traces);

// The number of a descriptor that it inherits, with these bytes: for --annotations.
std::string write_to_memfd(const std::string& bytes);

}  // namespace skein::cli
