// skein record [-o DIR] [--size N] [--keep TIME] [--most N] [--mode ring|log] [--sched]
//              [--sample[=N]] -- CMD...
//
// Runs a program with recording enabled in its environment. The program itself records; this
// command waits, forwards signals and reports the result.
#include <poll.h>
#include <skein/format.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/escape.h"
#include "cli/commands.h"
#include "cli/die.h"
#include "cli/input/process_sleep.h"
#include "cli/input/trace_end.h"
#include "cli/output/sched_thread.h"
#include "cli/program.h"
#include "cli/utc_now.h"
#include "record/host/posix/options.h"

namespace skein::cli {
namespace {

// Returns program.skein, or if that exists, program.skein.2 ...
std::string free_name(const std::string& command) {
  const std::string base = std::filesystem::path(command).filename().string() + ".skein";
  std::string name = base;
  for (int i = 2; std::filesystem::exists(name); ++i) name = base + "." + std::to_string(i);
  return name;
}

struct Size {
  uintmax_t bytes = 0;
  unsigned files = 0;
};

Size size_of(const std::string& directory) {
  Size size;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    struct stat facts;
    if (stat(entry.path().c_str(), &facts) != 0) continue;
    size.bytes += static_cast<uintmax_t>(facts.st_blocks) * 512;
    ++size.files;
  }
  return size;
}

// Until the program ends, looks twice a second what its threads wait for: whether any of them can
// still wake a task.
LastSleep watch_program() {
  const std::string pid = std::to_string(program_pid());
  const auto file = static_cast<int>(syscall(SYS_pidfd_open, program_pid(), 0));
  if (file < 0) return {};
  pollfd ends = {.fd = file, .events = POLLIN, .revents = 0};
  LastSleep last;
  for (;;) {
    constexpr int half_a_second = 500;
    const int ready = poll(&ends, 1, half_a_second);
    if (ready > 0 || (ready < 0 && errno != EINTR)) break;
    const int64_t now = utc_now();
    if (ready != 0) continue;
    const ProcessSleep sleep = read_sleep(pid);
    if (sleep.in_loop) last.in_loop = now;
    if (sleep.for_good) last.for_good = now;
  }
  close(file);
  return last;
}

// Expands %p as the recorder does, but to the pid of the command, not of a process that it starts.
std::string with_pid(std::string name, pid_t pid) {
  for (size_t at = 0; (at = name.find("%p", at)) != std::string::npos;)
    name.replace(at, 2, std::to_string(pid));
  return name;
}

// Checks that the recorder can create its directory: this command can report the reason, the
// recorder cannot.
void check_parent(const std::filesystem::path& path) {
  const std::filesystem::path parent =
      (path.has_filename() ? path : path.parent_path()).parent_path();
  if (access((parent / ".").c_str(), W_OK | X_OK) != 0)
    die(2, parent.string() + ": " + strerror(errno) + "; choose another directory with -o");
}

}  // namespace

int run_record(const RecordOptions& options) {
  std::string directory = options.output.empty() ? free_name(options.command[0]) : options.output;
  if (std::filesystem::exists(directory))
    die(2, directory + ": already exists; choose another directory with -o");
  const std::filesystem::path path = std::filesystem::absolute(directory);
  if (path.string().find(',') != std::string::npos)
    die(2, path.string() + ": a trace's path cannot have a comma in it");
  if (path.parent_path().string().find("%p") != std::string::npos)
    die(2, path.string() + ": only the last name of a trace's path can have a %p in it");
  const std::pair<const char*, const std::string&> sizes[] = {
      {"size", options.size}, {"keep", options.keep}, {"most", options.most}};
  for (const auto& [name, value] : sizes)
    if (options.mode == "log" && !value.empty())
      die(2, std::string("--") + name + " applies only to --mode ring; see skein record --help");
  std::string variable = ",mode=" + options.mode;
  for (const auto& [name, value] : sizes)
    if (!value.empty()) variable += std::string(",") + name + "=" + value;
  if (!options.tasks.empty()) variable += ",tasks=" + options.tasks;
  if (options.follow != "none") variable += ",follow=" + options.follow;
  if (!options.all_files_for.empty()) variable += ",all-files-at-start=" + options.all_files_for;
  if (options.monotonic) variable += ",clock=monotonic";
  if (!options.sample.empty()) variable += ",sample=" + options.sample;

  // Checks the options with the recorder's own parser before the program runs.
  record::Options parsed;
  const char* wrong = record::parse_options((path.string() + variable).c_str(), parsed);
  for (const auto& [name, value] :
       {std::pair("--size", options.size), std::pair("--keep", options.keep),
        std::pair("--most", options.most), std::pair("--tasks", options.tasks),
        std::pair("--all-files-at-start", options.all_files_for),
        std::pair("--sample", options.sample)})
    if (value.find(',') != std::string::npos)
      die(2, name + (": invalid number '" + value + "'; see skein record --help"));
  if (wrong != nullptr) {
    // Converts "size= is ..." to "--size is ...".
    std::string text = wrong;
    if (const size_t end = text.find("= "); end != std::string::npos)
      text = "--" + text.replace(end, 1, "");
    else if (text.starts_with("all-files-at-start "))
      text = "--" + text;
    die(2, text + "; see skein record --help");
  }

  check_parent(path);

  fork_program(options.command, [&] {
    setenv("SKEIN_TRACE", (with_pid(path.string(), getpid()) + variable).c_str(), 1);
  });
  const pid_t pid = program_pid();
  directory = with_pid(directory, pid);
  std::optional<SchedThread> sched;
  if (options.sched) sched.emplace(static_cast<uint32_t>(pid), directory);
  execute_program(options.command);
  const LastSleep last = watch_program();
  wait_for_program();
  const int64_t end = utc_now();
  if (sched) sched->finish();
  const ProgramEnd ending = reap_program();
  note_trace_end(directory, pid, end, last);

  const Size size = size_of(directory);
  if (size.files == 0) {
    fprintf(
        stderr,
        "skein: %s recorded no trace: it is not linked with skein::coroutine or skein::asio (see "
        "README), or it cannot write to the output directory\n",
        escaped(options.command[0]).c_str());
    return ending.code != 0 ? ending.code : 1;
  }
  // A program that was killed or interrupted may have hung: suggests `skein why`.
  const bool is_hang = ending.signal != 0 || was_interrupted();
  const std::string path_text = escaped(directory);
  fprintf(stderr, "skein: wrote %.1f MB to %s; %s: skein %s %s\n",
          static_cast<double>(size.bytes) / 1e6, path_text.c_str(),
          is_hang ? "diagnose it with" : "inspect it with", is_hang ? "why" : "info",
          path_text.c_str());
  return ending.code;
}

}  // namespace skein::cli
