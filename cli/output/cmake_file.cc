#include "cli/output/cmake_file.h"

#include <unistd.h>

#include "cli/die.h"
#include "cli/installed.h"

namespace skein::cli {

std::string cmake_file() {
  std::string path = find_installed("SkeinTrace.cmake", SKEIN_CMAKE_DIR, R_OK);
  if (path.empty()) die(2, "SkeinTrace.cmake is not installed; install libskein-dev");
  return path;
}

}  // namespace skein::cli
