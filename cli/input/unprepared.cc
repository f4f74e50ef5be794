#include "cli/input/unprepared.h"

#include <time.h>

#include "base/disk_files.h"
#include "cli/die.h"
#include "cli/input/running.h"
#include "target/core_file.h"
#include "target/process.h"

namespace skein::cli {

namespace {

Result<Unprepared> read_target(const Target& target, bool is_core) {
  Result<SuspendedCoroutines> found = find_suspended(target);
  if (!found) return found.error();
  std::string title = target.name();
  if (target.pid() != 0) title += " (" + std::to_string(target.pid()) + ")";
  return Unprepared{.title = std::move(title),
                    .pid = target.pid(),
                    .is_core = is_core,
                    .found = std::move(*found),
                    .around = {.threads = target.threads()}};
}

int64_t now_of(clockid_t clock) {
  timespec time = {};
  clock_gettime(clock, &time);
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

Result<Unprepared> read_process(uint64_t pid) {
  const Result<std::unique_ptr<Target>> process = open_process(pid);
  if (!process) return process.error();
  const int64_t steady = now_of(CLOCK_MONOTONIC);
  const int64_t system = now_of(CLOCK_REALTIME);
  Result<Unprepared> read = read_target(**process, false);
  if (!read) return read;
  read->around.steady_now = steady;
  read->around.system_now = system;
  read->around.sockets = socket_states(std::to_string(pid));
  return read;
}

std::optional<Unprepared> read_unprepared(const std::string& text) {
  if (const std::optional<uint64_t> pid = process_without_trace(text)) {
    // Its own error is clear if the process cannot be opened at all.
    if (const auto process = open_process(*pid); !process) die(2, process.error().message());
    Result<Unprepared> read = read_process(*pid);
    if (read) return std::move(*read);
    std::string what = "process " + text +
                       " is not recording; start it with `skein record` or set SKEIN_TRACE";
    if (!read.error().advice.empty()) what += "; its memory: " + read.error().message();
    die(2, what);
  }
  DiskFiles files;
  if (files.type(text) != FileType::File) return {};
  const Result<std::vector<uint8_t>> head = files.head(text, 64);
  if (!head || !is_core(*head)) return {};
  const Result<std::unique_ptr<CoreFile>> core = read_core(text, files);
  if (!core) die(2, core.error().message());
  Result<Unprepared> read = read_target(**core, true);
  if (!read) die(2, read.error().message());
  if ((*core)->missing_bytes() != 0)
    read->found.warnings.push_back(
        "the core was cut short: " + std::to_string((*core)->missing_bytes()) +
        " bytes are missing, and with them perhaps coroutines");
  return std::move(*read);
}

}  // namespace skein::cli
