#include "cli/installed.h"

#include <unistd.h>

#include <filesystem>
#include <system_error>

namespace skein::cli {

std::string find_installed(const std::string& name, const std::string& folder, int mode) {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return "";
  const auto beside = self.parent_path() / name;
  const auto installed = self.parent_path().parent_path() / folder / name;
  for (const auto& candidate : {beside, installed})
    if (access(candidate.c_str(), mode) == 0) return candidate;
  return "";
}

}  // namespace skein::cli
