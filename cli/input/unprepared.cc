#include "cli/input/unprepared.h"

#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <charconv>

#include "base/byte_size.h"
#include "base/escape.h"
#include "cli/die.h"
#include "cli/input/running.h"
#include "cli/output/progress.h"
#include "cli/output/terminal.h"
#include "frames/saved_frames.h"
#include "frames/silent_connections.h"
#include "target/known_threads.h"
#include "target/living_process.h"
#include "target/pausable_process.h"
#include "target/process.h"

namespace skein::cli {

namespace {

std::string title_of(const Target& target) {
  if (target.pid() == 0) return target.name();
  return target.name() + " (" + std::to_string(target.pid()) + ")";
}

// The threads are those that the search has seen, so that both fit together.
Result<Unprepared> read_target(const Target& target, bool is_core, const SearchOptions& options) {
  KnownThreads known(target);
  SearchOptions on_known = options;
  on_known.before = [&] {
    if (options.before) options.before();
    known.forget();
  };
  Result<SuspendedCoroutines> found = find_suspended(known, on_known);
  if (!found) return found.error();
  std::vector<TargetThread> threads = known.threads();
  MutexWaits mutex_waits(find_mutex_waits(target, threads));
  return Unprepared{.title = title_of(target),
                    .pid = target.pid(),
                    .is_core = is_core,
                    .trace = trace_of(target, is_core),
                    .found = std::move(*found),
                    .around = {.threads = std::move(threads), .mutex_waits = std::move(mutex_waits)}};
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
  SearchOptions with_clocks = options;
  with_clocks.now = {.steady = steady, .system = system};
  Result<Unprepared> read = read_target(process, false, with_clocks);
  if (!read) return read;
  read->around.steady_now = steady;
  read->around.system_now = system;
  read->around.reading_ns = now_of(CLOCK_MONOTONIC) - steady;
  read->around.sockets = socket_states(std::to_string(process.pid()));
  remove_earlier_sockets(read->found, read->around);
  mark_silent_sockets(read->found, read->around);
  return read;
}

namespace {

// Shows the progress of a search, and announces that it reads a sample.
class SearchProgress {
 public:
  explicit SearchProgress(std::string title) : title_(std::move(title)) {}
  void show(uint64_t done, uint64_t in_all, uint64_t memory) {
    if (done == 0 && in_all < memory)
      report_message(escaped(title_) + ": it has written " + size_text(memory) + ": reading " +
                     size_text(in_all) + " of it as a sample; --search-limit sets how much");
    bar_.show(done, in_all, ProgressBar::Clock::now());
  }

 private:
  std::string title_;
  ProgressBar bar_ = {stderr, isatty(STDERR_FILENO) != 0, ProgressBar::Clock::now(), "searching"};
};

SearchOptions options_of(const Reading& reading, SearchProgress& progress) {
  return {.accepts_none = reading.accepts_none,
          .variables = reading.variables,
          .references = reading.references,
          .most_bytes = reading.most_bytes,
          .progress = [&](uint64_t done, uint64_t in_all, uint64_t memory) {
            progress.show(done, in_all, memory);
          }};
}

Result<Unprepared> read_process(PausableProcess& process, Reading reading,
                                const OnMemory& on_memory) {
  std::optional<Error> error;
  SearchProgress progress(title_of(process));
  const std::optional<LivingProcess> start = living_process(process.pid());
  const auto has_ended = [&] { return !start || living_process(process.pid()) != start; };
  bool ended_early = false;
  SearchOptions options = options_of(reading, progress);
  if (reading.pause) options.before = [&] { error = process.pause(); };
  options.after = [&](const SuspendedCoroutines& found) {
    if (on_memory) on_memory(process, found);
    ended_early = has_ended();
    process.resume();
  };
  WalkedStacks walked;
  if (reading.stacks || reading.accepts_none) options.on_stack = walked.adder();
  Result<Unprepared> read = read_memory_of(process, options);
  // A part of its memory must not pass for all of it.
  if (ended_early || (!read && has_ended()))
    return Error{.what = "it ended while its memory was read",
                 .file = "process " + std::to_string(process.pid())};
  if (error && reading.must_pause) return *error;
  if (!read) return read;
  read->paused = process.resume();
  if (read->paused) read->around.reading_ns = 0;
  if (reading.stacks || read->found.functions.empty())
    read->stacks = walked.named(process, read->around.threads, read->around.mutex_waits);
  if (has_ended())
    read->found.warnings.push_back(
        "it has ended since its memory was read: threads and sockets may be missing");
  return read;
}

// See Unprepared::steady_of_file. Nothing, too, if the machine slept, when this clock stands still.
std::optional<int64_t> steady_when_changed(const std::string& path) {
  constexpr int64_t second = 1'000'000'000;
  struct stat status = {};
  if (stat(path.c_str(), &status) != 0) return {};
  const int64_t steady = now_of(CLOCK_MONOTONIC);
  const int64_t age =
      now_of(CLOCK_REALTIME) - (int64_t{status.st_mtim.tv_sec} * second + status.st_mtim.tv_nsec);
  const bool slept = now_of(CLOCK_BOOTTIME) - steady > second;
  return slept || age < 0 || age >= steady ? std::nullopt : std::optional(steady - age);
}

// What `skein core` has found, which may be on another machine.
Result<Unprepared> read_snapshot(const CoreFile& core, const std::string& path) {
  Result<SavedFrames> saved = read_frames(core.saved_frames(), path);
  if (!saved) return saved.error();
  return Unprepared{.title = title_of(core),
                    .pid = core.pid(),
                    .is_core = true,
                    .paused = saved->paused,
                    .trace = trace_of(core),
                    .found = std::move(saved->found),
                    .around = std::move(saved->around)};
}

Result<Unprepared> read_core_input(const CoreInput& input, const Reading& reading,
                                   const OnMemory& on_memory) {
  const CoreFile& core = *input.core;
  const bool is_snapshot = !core.saved_frames().empty();
  SearchProgress progress(title_of(core));
  SearchOptions options = options_of(reading, progress);
  if (!input.warnings.empty()) options.references = false;  // what is missing may have them
  const auto is_lost = [&](const SuspendedCoroutines& found) {
    return core.missing_bytes() != 0 && found.coroutines.empty();
  };
  if (on_memory)
    options.after = [&](const SuspendedCoroutines& found) {
      if (!is_lost(found)) on_memory(core, found);
    };
  WalkedStacks walked;
  if (reading.stacks || reading.accepts_none) options.on_stack = walked.adder();
  Result<Unprepared> read =
      is_snapshot ? read_snapshot(core, input.path) : read_target(core, true, options);
  if (read && is_lost(read->found))
    read = Error{.what = "no coroutines in the rest of it", .file = input.path};
  if (!read) {
    for (const std::string& warning : input.warnings)
      read.error().advice += (read.error().advice.empty() ? "" : "; ") + warning;
    return read;
  }
  if (reading.stacks && is_snapshot)
    read->stacks = read_thread_stacks(core);
  else if (reading.stacks || read->found.functions.empty())
    read->stacks = walked.named(core, read->around.threads, read->around.mutex_waits);
  if (!is_snapshot) read->steady_of_file = steady_when_changed(input.path);
  read->trace = trace_of(core);
  // A snapshot has both in any case.
  if (is_snapshot && !reading.variables) read->found.variables.clear();
  if (is_snapshot && !reading.references)
    for (SuspendedCoroutine& one : read->found.coroutines) one.is_unreferenced = false;
  if (is_snapshot && on_memory) on_memory(core, read->found);
  std::vector<std::string>& warnings = read->found.warnings;
  warnings.insert(warnings.end(), input.warnings.begin(), input.warnings.end());
  return read;
}

std::optional<uint64_t> pid_of(const std::string& text) {
  uint64_t pid = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), pid);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return pid;
}

void refuse_program(const std::string& text, const Reading& reading) {
  if (!reading.program.empty()) die(2, "--exe: " + text + " is no core file");
}

}  // namespace

Result<ReadTarget> read_process(uint64_t pid, Reading reading, const OnMemory& on_memory) {
  Result<std::unique_ptr<PausableProcess>> process = open_pausable_process(pid);
  if (!process) return process.error();
  Result<Unprepared> read = read_process(**process, reading, on_memory);
  if (!read) return read.error();
  return ReadTarget{.process = *std::move(process), .read = *std::move(read)};
}

ReadTarget read_any(const std::string& text, Reading reading, const OnMemory& on_memory) {
  std::optional<CoreInput> core = open_core(text, reading.program);
  const std::optional<uint64_t> pid = core ? std::nullopt : pid_of(text);
  Result<ReadTarget> all = Error{.what = "neither a core file nor the PID of a process",
                                 .file = text};
  if (core) {
    Result<Unprepared> read = read_core_input(*core, reading, on_memory);
    if (!read) die(2, read.error().message());
    all = ReadTarget{.core = std::move(core), .read = *std::move(read)};
  } else if (pid) {
    refuse_program(text, reading);
    all = read_process(*pid, reading, on_memory);
  }
  if (!all) die(2, all.error().message());
  return *std::move(all);
}

uint64_t parse_search_limit(const std::string& text) {
  constexpr uint64_t least = uint64_t{4} << 20;
  if (text.empty()) return usually_read_bytes;
  const std::optional<uint64_t> size = parse_size(text);
  if (!size || *size < least)
    die(2, "--search-limit: invalid size '" + text + "' (at least 4M, e.g. 512M, 64G)");
  return *size;
}

std::optional<Unprepared> read_unprepared(const std::string& text, Reading reading) {
  if (const std::optional<uint64_t> pid = process_without_trace(text)) {
    refuse_program(text, reading);
    const Result<std::unique_ptr<PausableProcess>> process = open_pausable_process(*pid);
    if (!process) die(2, process.error().message());
    Result<Unprepared> read = read_process(**process, reading, {});
    if (read) return std::move(*read);
    if (!living_process(*pid)) die(2, read.error().message());
    Error error{.what = read.error().what,
                .file = "process " + std::to_string(*pid),
                .advice = read.error().advice};
    // The reason may be that it has ended, and its parent has not noticed yet.
    if (!reading.accepts_none) {
      error.advice += error.advice.empty() ? "" : "; ";
      error.advice += "it is not recording; skein why " + text + " shows its threads";
    }
    die(2, error.message());
  }
  const std::optional<CoreInput> core = open_core(text, reading.program);
  if (!core) return {};
  Result<Unprepared> read = read_core_input(*core, reading, {});
  if (!read) die(2, read.error().message());
  return std::move(*read);
}

}  // namespace skein::cli
