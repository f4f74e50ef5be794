// The CMake file that traces a whole project (cmake/SkeinTrace.cmake.in): beside this program in a
// build tree, and in the folder of the CMake package when both are installed.
#pragma once

#include <string>

namespace skein::cli {

// Returns the path of that file. Throws CommandError(2) if it is not installed.
std::string cmake_file();

}  // namespace skein::cli
