#include "cli/output/cmake_file.h"

#include <filesystem>
#include <system_error>

#include "cli/die.h"

namespace skein::cli {

std::string cmake_file() {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error) {
    const auto beside = self.parent_path() / "SkeinTrace.cmake";
    const auto installed = self.parent_path().parent_path() / SKEIN_CMAKE_DIR / "SkeinTrace.cmake";
    for (const auto& candidate : {beside, installed})
      if (std::filesystem::exists(candidate, error)) return candidate;
  }
  die(2, "SkeinTrace.cmake is not installed; install libskein-dev");
}

}  // namespace skein::cli
