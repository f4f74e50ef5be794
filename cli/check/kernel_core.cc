#include "cli/check/kernel_core.h"

#include <exception>
#include <filesystem>
#include <fstream>
#include <optional>

#include "cli/input/core_input.h"
#include "target/core_pattern.h"

namespace skein::cli {

namespace fs = std::filesystem;

namespace {

bool is_core_of(pid_t process, const std::string& path) {
  try {
    const std::optional<CoreInput> input = open_core(path);
    return input && input->core->pid() == static_cast<uint64_t>(process);
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace

std::string kernel_core_of(pid_t process, const std::string& folder) {
  std::string text;
  std::getline(std::ifstream("/proc/sys/kernel/core_pattern"), text);
  const std::optional<CorePattern> pattern = parse_core_pattern(text);
  if (!pattern) return "";
  std::error_code error;
  const fs::path in = fs::current_path(error) / folder / pattern->folder;
  std::string found;
  fs::file_time_type newest = fs::file_time_type::min();
  for (const fs::directory_entry& entry : fs::directory_iterator(in, error)) {
    const std::string path = entry.path().string();
    if (!entry.is_regular_file(error) || !pattern->has(entry.path().filename().string())) continue;
    const fs::file_time_type time = entry.last_write_time(error);
    if (time < newest || !is_core_of(process, path)) continue;
    newest = time;
    found = path;
  }
  return found;
}

}  // namespace skein::cli
