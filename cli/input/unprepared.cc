#include "cli/input/unprepared.h"

#include <time.h>

#include <charconv>

#include "base/disk_files.h"
#include "cli/die.h"
#include "cli/input/running.h"
#include "frames/saved_frames.h"
#include "target/core_file.h"
#include "target/process.h"
#include "target/pausable_process.h"

namespace skein::cli {

namespace {

std::string title_of(const Target& target) {
  if (target.pid() == 0) return target.name();
  return target.name() + " (" + std::to_string(target.pid()) + ")";
}

Result<Unprepared> read_target(const Target& target, bool is_core, const SearchOptions& options) {
  Result<SuspendedCoroutines> found = find_suspended(target, options);
  if (!found) return found.error();
  return Unprepared{.title = title_of(target),
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

Result<Unprepared> read_memory_of(const Target& process, const SearchOptions& options) {
  const int64_t steady = now_of(CLOCK_MONOTONIC);
  const int64_t system = now_of(CLOCK_REALTIME);
  Result<Unprepared> read = read_target(process, false, options);
  if (!read) return read;
  read->around.steady_now = steady;
  read->around.system_now = system;
  read->around.sockets = socket_states(std::to_string(process.pid()));
  return read;
}

namespace {

Result<Unprepared> read_process(PausableProcess& process, Reading reading,
                                const OnMemory& on_memory) {
  std::optional<Error> error;
  SearchOptions options{.variables = reading.variables, .references = reading.references};
  if (reading.pause) options.before = [&] { error = process.pause(); };
  options.after = [&](const SuspendedCoroutines& found) {
    if (on_memory) on_memory(process, found);
    process.resume();
  };
  Result<Unprepared> read = read_memory_of(process, options);
  if (error) return *error;
  if (read) read->paused = process.resume();
  return read;
}

// What `skein core` has found, which may be on another machine.
Result<Unprepared> read_snapshot(const CoreFile& core, const std::string& path) {
  Result<SavedFrames> saved = read_frames(core.saved_frames(), path);
  if (!saved) return saved.error();
  return Unprepared{.title = title_of(core),
                    .pid = core.pid(),
                    .is_core = true,
                    .paused = saved->paused,
                    .found = std::move(saved->found),
                    .around = std::move(saved->around)};
}

Result<Unprepared> read_core_file(const CoreFile& core, const std::string& path, Reading reading,
                                  const OnMemory& on_memory) {
  if (!core.saved_frames().empty()) {
    Result<Unprepared> read = read_snapshot(core, path);
    if (read && on_memory) on_memory(core, read->found);
    return read;
  }
  SearchOptions options{.variables = reading.variables, .references = reading.references};
  if (on_memory)
    options.after = [&](const SuspendedCoroutines& found) { on_memory(core, found); };
  Result<Unprepared> read = read_target(core, true, options);
  if (read && core.missing_bytes() != 0)
    read->found.warnings.push_back("the core was cut short: " +
                                   std::to_string(core.missing_bytes()) +
                                   " bytes are missing, and with them perhaps coroutines");
  return read;
}

std::optional<uint64_t> pid_of(const std::string& text) {
  uint64_t pid = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), pid);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return pid;
}

}  // namespace

Result<Unprepared> read_process(uint64_t pid, Reading reading) {
  const Result<std::unique_ptr<PausableProcess>> process = open_pausable_process(pid);
  if (!process) return process.error();
  return read_process(**process, reading, {});
}

ReadTarget read_any(const std::string& text, Reading reading, const OnMemory& on_memory) {
  ReadTarget all;
  all.files = std::make_unique<DiskFiles>();
  const bool is_file = all.files->type(text) == FileType::File;
  Result<Unprepared> read = Error{.what = "neither a core file nor the PID of a process",
                                  .file = text};
  if (const std::optional<uint64_t> pid = is_file ? std::nullopt : pid_of(text)) {
    Result<std::unique_ptr<PausableProcess>> process = open_pausable_process(*pid);
    if (!process) die(2, process.error().message());
    read = read_process(**process, reading, on_memory);
    all.target = std::move(*process);
  } else if (is_file) {
    Result<std::unique_ptr<CoreFile>> core = read_core(text, *all.files);
    if (!core) die(2, core.error().message());
    read = read_core_file(**core, text, reading, on_memory);
    all.target = std::move(*core);
  }
  if (!read) die(2, read.error().message());
  all.read = std::move(*read);
  return all;
}

std::optional<Unprepared> read_unprepared(const std::string& text, Reading reading) {
  if (const std::optional<uint64_t> pid = process_without_trace(text)) {
    const Result<std::unique_ptr<PausableProcess>> process = open_pausable_process(*pid);
    if (!process) die(2, process.error().message());
    Result<Unprepared> read = read_process(**process, reading, {});
    if (read) return std::move(*read);
    std::string what = "process " + std::to_string(*pid) +
                       " is not recording; start it with `skein record` or set SKEIN_TRACE";
    if (!read.error().advice.empty()) what += "; its memory: " + read.error().message();
    die(2, what);
  }
  DiskFiles files;
  if (text == "-" || files.type(text) != FileType::File) return {};
  const Result<std::vector<uint8_t>> head = files.head(text, 64);
  if (!head || !is_core(*head)) return {};
  const Result<std::unique_ptr<CoreFile>> core = read_core(text, files);
  if (!core) die(2, core.error().message());
  Result<Unprepared> read = read_core_file(**core, text, reading, {});
  if (!read) die(2, read.error().message());
  return std::move(*read);
}

}  // namespace skein::cli
