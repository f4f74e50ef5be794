#include "cli/free_memory.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>

namespace skein::cli {

namespace {

std::string text_of(Files& files, const std::string& path) {
  constexpr size_t most = 65536;
  const auto bytes = files.head(path, most);
  return bytes ? std::string(bytes->begin(), bytes->end()) : "";
}

std::optional<uint64_t> number(std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end == text.data()) return {};
  return value;
}

// Removes and returns the first line of `text`.
std::string_view next_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(text.size(), line.size() + 1));
  return line;
}

// Returns the number after `name` and blanks in the line that begins with `name`.
std::optional<uint64_t> field(std::string_view text, std::string_view name) {
  while (!text.empty()) {
    std::string_view line = next_line(text);
    if (!line.starts_with(name)) continue;
    line.remove_prefix(std::min(line.find_first_not_of(' ', name.size()), line.size()));
    return number(line);
  }
  return {};
}

// The files of one version of control groups.
struct GroupFiles {
  const char* root;
  const char* limit;
  const char* used;
  const char* cache;  // the line of memory.stat: page cache, which the kernel frees if necessary
};
constexpr GroupFiles version_1{"/sys/fs/cgroup/memory", "/memory.limit_in_bytes",
                               "/memory.usage_in_bytes", "total_cache "};
constexpr GroupFiles version_2{"/sys/fs/cgroup", "/memory.max", "/memory.current", "file "};

// Returns what this group and those that contain it leave. In a container the path may not exist;
// the group of the container is then at the root.
uint64_t left_in_groups(Files& files, const GroupFiles& version, std::string path) {
  uint64_t least = UINT64_MAX;
  for (;; path.erase(path.rfind('/'))) {
    while (path.ends_with('/')) path.pop_back();
    const std::string folder = version.root + path;
    const auto limit = number(text_of(files, folder + version.limit));  // empty: "max"
    const auto used = number(text_of(files, folder + version.used));
    if (limit && used) {
      const uint64_t cache =
          field(text_of(files, folder + "/memory.stat"), version.cache).value_or(0);
      const uint64_t needed = *used - std::min(cache, *used);
      least = std::min(least, *limit - std::min(needed, *limit));
    }
    if (path.empty()) return least;
  }
}

}  // namespace

std::optional<uint64_t> free_memory(Files& files) {
  const auto kib = field(text_of(files, "/proc/meminfo"), "MemAvailable:");
  uint64_t least = kib ? *kib << 10 : UINT64_MAX;
  const std::string groups = text_of(files, "/proc/self/cgroup");
  for (std::string_view rest = groups; !rest.empty();) {
    const std::string_view line = next_line(rest);  // NUMBER:CONTROLLERS:PATH
    const size_t controllers = line.find(':') + 1;
    const size_t end = line.find(':', controllers);
    if (controllers == 0 || end == std::string_view::npos) continue;
    const std::string_view names = line.substr(controllers, end - controllers);
    const std::string path(line.substr(end + 1));
    if (!path.starts_with('/')) continue;
    if (names.empty())
      least = std::min(least, left_in_groups(files, version_2, path));
    else if (("," + std::string(names) + ",").find(",memory,") != std::string::npos)
      least = std::min(least, left_in_groups(files, version_1, path));
  }
  if (least == UINT64_MAX) return {};
  return least;
}

}  // namespace skein::cli
