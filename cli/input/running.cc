#include "cli/input/running.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>

#include "base/disk_files.h"
#include "cli/die.h"
#include "target/access.h"
#include "target/living_process.h"
#include "trace/read/ctf/task_table.h"

namespace skein::cli {

namespace {

bool is_number(std::string_view text) {
  return !text.empty() && text.size() < 10 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// The kernel writes a newline in a path as \012.
std::string unescape(std::string_view path) {
  std::string text;
  for (size_t i = 0; i < path.size(); i++) {
    if (path.substr(i).starts_with("\\012")) {
      text += '\n';
      i += 3;
    } else {
      text += path[i];
    }
  }
  return text;
}

std::string denied(const std::string& pid) {
  return "permission denied; " + advice_of(access_facts(std::stoull(pid)));
}

// Returns the pid of the process in each of its pid namespaces. Its trace contains the innermost.
std::set<uint64_t> numbers_of(const std::string& pid) {
  const std::vector<uint64_t> inner = namespace_numbers("/proc/" + pid);
  std::set<uint64_t> numbers(inner.begin(), inner.end());
  numbers.insert(std::stoull(pid));
  return numbers;
}

// Reads the header of the table at `path`. Empty if it belongs to another process: a forked child
// has its parent's table mapped.
std::optional<ctf::TaskTableSnapshot> table_of(DiskFiles& disk, const std::string& path,
                                               const std::set<uint64_t>& pids) {
  if (disk.type(path) != FileType::File) return {};
  const auto head = disk.head(path, format::kTableHeaderSize);
  if (!head) return {};
  const auto table = ctf::read_task_table_header(*head, path);
  if (!table || !pids.contains(table->pid)) return {};
  return *table;
}

}  // namespace

namespace {

// Returns the directory that the process records to, or an empty string. If it has several traces,
// returns the newest.
std::string find_trace(const std::string& pid, std::istream& maps) {
  constexpr std::string_view name = "/.tasks";
  std::set<uint64_t> pids;
  DiskFiles disk;
  std::string best;
  uint64_t newest = 0;
  for (std::string line; std::getline(maps, line);) {
    const size_t slash = line.find('/');
    if (slash == std::string::npos) continue;
    const std::string path = unescape(std::string_view(line).substr(slash));
    if (!path.ends_with(name)) continue;
    if (pids.empty()) pids = numbers_of(pid);
    // The paths of a process in a container are relative to its own root directory.
    for (const std::string& candidate : {path, process_folder(pid) + "/root" + path}) {
      const auto table = table_of(disk, candidate, pids);
      if (!table) continue;
      if (best.empty() || table->start >= newest) {
        newest = table->start;
        best = candidate.substr(0, candidate.size() - name.size());
      }
      break;
    }
  }
  return best;
}

// Whether it is the pid of a process, and no file has that name.
bool names_process(const std::string& text) {
  std::error_code error;
  return is_number(text) && !std::filesystem::exists(text, error) &&
         std::filesystem::exists("/proc/" + text, error);
}

}  // namespace

std::string trace_of_process(const std::string& pid) {
  std::error_code error;
  if (!std::filesystem::exists("/proc/" + pid, error))
    die(2, "process " + pid + ": no such process");
  std::ifstream maps(process_folder(pid) + "/maps");
  if (!maps) die(2, "process " + pid + ": " + denied(pid));
  const std::string trace = find_trace(pid, maps);
  if (trace.empty())
    die(2, "process " + pid + " is not recording; start it with `skein record` or set SKEIN_TRACE");
  return trace;
}

std::vector<RecordedProcess> recorded_processes() {
  std::vector<RecordedProcess> all;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const std::string pid = entry.path().filename().string();
    if (!is_number(pid)) continue;
    std::ifstream maps(process_folder(pid) + "/maps");
    const std::string trace = find_trace(pid, maps);
    if (trace.empty()) continue;
    std::string program;
    std::getline(std::ifstream(entry.path() / "comm"), program);
    all.push_back({.pid = std::stoull(pid), .program = program, .directory = trace});
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.pid < b.pid; });
  return all;
}

std::string process_of(const std::string& directory) {
  std::error_code error;
  for (const RecordedProcess& process : recorded_processes())
    if (std::filesystem::equivalent(process.directory, directory, error))
      return std::to_string(process.pid);
  return "";
}

std::string process_hint(const std::string& text) {
  if (!names_process(text)) return "";
  std::ifstream maps(process_folder(text) + "/maps");
  if (!maps) return text + " is a process, not a trace; its trace is unknown: " + denied(text);
  const std::string trace = find_trace(text, maps);
  return text + " is a process, not a trace" +
         (trace.empty() ? ", and it is not recording" : "; its trace is " + trace);
}

std::optional<uint64_t> process_without_trace(const std::string& text) {
  if (!names_process(text)) return {};
  std::ifstream maps(process_folder(text) + "/maps");
  if (!maps || !find_trace(text, maps).empty()) return {};
  return std::stoull(text);
}

std::vector<uint64_t> namespace_numbers(const std::string& folder) {
  std::vector<uint64_t> numbers;
  std::ifstream status(folder + "/status");
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with("NSpid:")) continue;
    std::istringstream words(line.substr(6));
    for (uint64_t number; words >> number;) numbers.push_back(number);
  }
  return numbers;
}

std::string trace_directory(const std::string& text) {
  if (text.empty()) die(2, "empty TRACE argument; give a PID or a path");
  std::error_code error;  // the current directory may not be readable
  if (is_number(text) && !std::filesystem::exists(text, error)) return trace_of_process(text);
  return text;
}

}  // namespace skein::cli
