// `skein snapshot`: takes a consistent copy of a trace while its program continues to write
// (cli/output/live_copy.h). It also notes when it was made, and whether all threads slept during
// the copy, as `skein record` does: waits last until then.
#include <algorithm>

#include "base/disk_files.h"
#include "cli/commands.h"
#include "cli/die.h"
#include "cli/input/process_sleep.h"
#include "cli/input/running.h"
#include "cli/output/live_copy.h"
#include "cli/utc_now.h"
#include "trace/read/ctf/directory.h"

namespace skein::cli {

namespace {

// What is known of the process before its trace is copied.
struct Before {
  std::string pid;  // empty: it does not run
  uint64_t utc = 0;
  ProcessSleep sleep;
};

Before look_before(const std::string& directory) {
  Before before;
  before.pid = process_of(directory);
  before.utc = static_cast<uint64_t>(utc_now());
  if (!before.pid.empty()) before.sleep = read_sleep(before.pid);
  return before;
}

void add_present(const Before& before, ctf::TaskTableSnapshot& table) {
  if (before.pid.empty() || !table.enabled) return;
  table.ended_utc = std::max(table.ended_utc, before.utc);
  const ProcessSleep during = sleep_since(before.sleep, before.pid);
  if (during.in_loop) table.alone_utc = before.utc;
  if (during.for_good) table.asleep_utc = before.utc;
}

void snapshot(const std::string& from, const std::string& to_path) {
  DiskFiles files;
  const auto metadata = files.type(from + "/metadata") == FileType::File
                            ? files.head(from + "/metadata", size_t{1} << 20)
                            : Error{.what = "not a trace recorded by skein", .file = from};
  if (!metadata) die(2, metadata.error().message());
  const auto parsed = ctf::parse_metadata(
      {reinterpret_cast<const char*>(metadata->data()), metadata->size()}, from + "/metadata");
  if (!parsed) die(2, parsed.error().message());
  if (!parsed->is_ours()) die(2, from + ": not a trace recorded by skein");
  TraceDirectoryWriter to(to_path);
  to.write("metadata", *metadata);
  const Before before = look_before(from);
  const auto report = copy_trace(
      files, from, to, [&](ctf::TaskTableSnapshot& table) { add_present(before, table); });
  if (!report) die(2, report.error().message());
  print_report(*report);
}

}  // namespace

int run_snapshot(const SnapshotOptions& options) {
  snapshot(trace_directory(options.trace), options.output);
  return 0;
}

}  // namespace skein::cli
