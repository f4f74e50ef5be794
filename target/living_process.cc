#include "target/living_process.h"

#include <algorithm>
#include <charconv>

#include "base/disk_files.h"
#include "target/thread_ids.h"

namespace skein {

namespace {

std::string stat_of(const std::string& folder) {
  DiskFiles files;
  const Result<Contents> contents = files.open(folder + "/stat", Access::Copy);
  return contents ? std::string(contents->bytes().begin(), contents->bytes().end()) : "";
}

// proc_pid_stat(5); the third is behind the name, which may contain anything.
uint64_t field(std::string_view stat, int number) {
  size_t at = stat.rfind(')') + 1;  // npos + 1 == 0
  for (int i = 2; i < number && at < stat.size(); i++) at = stat.find(' ', at) + 1;
  uint64_t value = 0;
  std::from_chars(stat.data() + std::min(at, stat.size()), stat.data() + stat.size(), value);
  return value;
}

// A thread loses its memory before it is a zombie.
bool has_left(std::string_view stat) {
  constexpr uint64_t is_ending = 4;  // PF_EXITING
  const size_t end = stat.rfind(')');
  if (end == std::string_view::npos || end + 2 >= stat.size()) return true;
  const char state = stat[end + 2];
  return state == 'Z' || state == 'X' || (field(stat, 9) & is_ending) != 0;
}

bool has_others(std::string_view stat) { return field(stat, 20) > 1; }

}  // namespace

bool has_ended(std::string_view stat) {
  const size_t end = stat.rfind(')');
  if (end == std::string_view::npos || end + 2 >= stat.size()) return false;
  const char state = stat[end + 2];
  return state == 'X' || (state == 'Z' && !has_others(stat));
}

std::optional<LivingProcess> living_process(uint64_t pid) {
  const std::string folder = "/proc/" + std::to_string(pid);
  const std::string stat = stat_of(folder);
  if (stat.empty()) return {};
  LivingProcess process{.start = field(stat, 22), .thread = pid};
  if (!has_left(stat)) return process;
  if (!has_others(stat)) return {};
  for (const uint64_t thread : thread_ids(folder + "/task")) {
    process.thread = thread;
    if (thread != pid && !has_left(stat_of("/proc/" + std::to_string(thread)))) return process;
  }
  return {};
}

std::string process_folder(const std::string& pid) {
  uint64_t number = 0;
  std::from_chars(pid.data(), pid.data() + pid.size(), number);
  const std::optional<LivingProcess> process = living_process(number);
  return "/proc/" + (process ? std::to_string(process->thread) : pid);
}

}  // namespace skein
