#include "cli/input/recorded_trace.h"

#include <optional>
#include <set>
#include <string_view>

#include "base/disk_files.h"
#include "base/escape.h"
#include "cli/input/running.h"
#include "trace/read/ctf/task_table.h"

namespace skein::cli {

namespace {

// The header of the table in a directory; nothing: it cannot be read.
std::optional<ctf::TaskTableSnapshot> table_in(const std::string& directory) {
  DiskFiles disk;
  const std::string path = directory + "/.tasks";
  if (disk.type(path) != FileType::File) return {};
  const auto head = disk.head(path, format::kTableHeaderSize);
  if (!head) return {};
  const auto table = ctf::read_task_table_header(*head, path);
  return table ? std::optional(*table) : std::nullopt;
}

}  // namespace

RecordedTrace trace_of(const Target& target, bool is_core) {
  constexpr std::string_view name = "/.tasks";
  std::set<uint64_t> pids = {target.pid()};
  if (!is_core)
    for (const uint64_t pid : namespace_numbers("/proc/" + std::to_string(target.pid())))
      pids.insert(pid);
  RecordedTrace best;
  uint64_t newest = 0;
  std::set<std::string> seen;
  for (const Mapping& mapping : target.mappings()) {
    if (!mapping.file.ends_with(name) || !seen.insert(mapping.file).second) continue;
    const std::string directory = mapping.file.substr(0, mapping.file.size() - name.size());
    bool is_readable = false;
    for (const std::string& candidate : {directory, target.root() + directory}) {
      const auto table = table_in(candidate);
      if (!table) continue;
      is_readable = true;
      if (!pids.contains(table->pid) || (best.is_here && table->start < newest)) continue;
      newest = table->start;
      best = {.directory = candidate, .is_here = true, .is_own = true};
      break;
    }
    // In a container the process may have had another number.
    if (best.directory.empty() && (is_core || !is_readable)) best = {.directory = directory};
  }
  return best;
}

RecordedTrace trace_of(const CoreFile& core) {
  RecordedTrace trace = trace_of(core, true);
  trace.is_known = core.has_file_names();
  return trace;
}

std::string recording_text(const RecordedTrace& trace, bool is_core) {
  const std::string be = is_core ? "was" : "is";
  if (!trace.is_known) return "may have been recorded";
  if (trace.directory.empty()) return be + " not recorded";
  const std::string place = " recorded to " + escaped(trace.directory);
  if (trace.is_here) return be + place;
  return be + place + ", or was forked from a process that " + be +
         "; that trace is not here, or is of another process number";
}

}  // namespace skein::cli
