#include "cli/check/process_tree.h"

#include <dirent.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "target/living_process.h"

namespace skein::cli {

namespace {

struct ProcessLine {
  pid_t pid = 0;
  pid_t parent = 0;
  char state = '?';
  bool has_ended = false;  // with all of its threads
};

// "PID (NAME) STATE PARENT ..."; the name may contain anything.
bool parse_stat(std::string_view text, ProcessLine& line) {
  const size_t end = text.rfind(") ");
  if (end == std::string_view::npos || end + 4 >= text.size()) return false;
  line.state = text[end + 2];
  line.has_ended = has_ended(text);
  const std::string_view parent = text.substr(end + 4);
  return std::from_chars(parent.data(), parent.data() + parent.size(), line.parent).ec ==
         std::errc();
}

// Of `line.pid`. False: it has ended.
bool read_stat(ProcessLine& line) {
  std::ifstream file("/proc/" + std::to_string(line.pid) + "/stat");
  std::string text;
  std::getline(file, text, '\0');
  return parse_stat(text, line);
}

std::vector<ProcessLine> all_processes() {
  std::vector<ProcessLine> all;
  const auto close = [](DIR* folder) { closedir(folder); };
  const std::unique_ptr<DIR, decltype(close)> folder(opendir("/proc"), close);
  if (folder == nullptr) return all;
  while (const dirent* entry = readdir(folder.get())) {
    const std::string_view name = entry->d_name;
    ProcessLine line;
    if (std::from_chars(name.data(), name.data() + name.size(), line.pid).ec != std::errc())
      continue;
    if (read_stat(line)) all.push_back(line);
  }
  return all;
}

std::vector<ProcessLine> tree_of(pid_t process) {
  const std::vector<ProcessLine> all = all_processes();
  std::vector<ProcessLine> tree;
  std::set<pid_t> known;  // /proc changes while it is read
  std::vector<pid_t> level = {process};
  while (!level.empty()) {
    std::vector<pid_t> next;
    for (const ProcessLine& line : all) {
      if (std::find(level.begin(), level.end(), line.parent) == level.end()) continue;
      if (!known.insert(line.pid).second) continue;
      tree.push_back(line);
      next.push_back(line.pid);
    }
    level = std::move(next);
  }
  return tree;
}

// Returns false if there are no children. Then there are no descendants either, because this process
// adopts them.
bool reap_children() {
  pid_t reaped = 0;
  do reaped = waitpid(-1, nullptr, WNOHANG | __WALL);
  while (reaped > 0 || (reaped < 0 && errno == EINTR));
  return reaped == 0;
}

}  // namespace

std::vector<pid_t> descendants_of(pid_t process) {
  std::vector<pid_t> pids;
  for (const ProcessLine& line : tree_of(process))
    if (!line.has_ended) pids.push_back(line.pid);
  return pids;
}

pid_t parent_of(pid_t process) {
  ProcessLine line{.pid = process};
  return read_stat(line) ? line.parent : 0;
}

bool kill_descendants() {
  constexpr int rounds = 2000;
  std::set<pid_t> refused;
  int rounds_without_any = 0;
  for (int round = 0; round < rounds; round++) {
    if (!reap_children()) return true;
    const std::vector<ProcessLine> tree = tree_of(getpid());
    // First stops all that there are, until there are no new ones.
    bool is_stopping = false;
    bool is_left = false;
    for (const ProcessLine& line : tree) {
      if (line.has_ended || refused.contains(line.pid)) continue;
      is_left = true;
      if (line.state == 'T' || line.state == 't' || round > 10) continue;
      if (kill(line.pid, SIGSTOP) != 0 && errno == EPERM) refused.insert(line.pid);
      is_stopping = true;
    }
    // That none was seen proves nothing: the names in /proc are read before the states, and a
    // process may have forked and ended in between.
    rounds_without_any = is_left ? 0 : rounds_without_any + 1;
    if (rounds_without_any > 10 && !refused.empty()) return false;
    if (!is_stopping)
      for (const ProcessLine& line : tree)
        if (!refused.contains(line.pid)) kill(line.pid, SIGKILL);
    const timespec time = {.tv_sec = 0, .tv_nsec = 1'000'000};
    nanosleep(&time, nullptr);
  }
  return false;
}

}  // namespace skein::cli
