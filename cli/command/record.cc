// skein record [-o DIR] [--size N] [--keep TIME] [--most N] [--mode ring|log] -- CMD...
//
// Runs a program with recording enabled in its environment. The program itself records; this
// command waits, forwards signals and reports the result.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <skein/format.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "base/escape.h"
#include "cli/commands.h"
#include "cli/die.h"
#include "cli/input/process_sleep.h"
#include "cli/input/trace_end.h"
#include "cli/utc_now.h"
#include "record/host/posix/options.h"

namespace skein::cli {
namespace {

volatile pid_t child = 0;  // 0: none, or it has ended
volatile sig_atomic_t interrupted = 0;

// Signals of other processes, which the program would receive if it ran without this command. Not
// the faults of a process itself, and not job control, which a shell applies to the process group.
bool is_forwarded(int signal) {
  constexpr int kOthers[] = {SIGKILL, SIGSTOP, SIGSEGV, SIGBUS,  SIGFPE,  SIGILL,  SIGTRAP,
                             SIGABRT, SIGSYS,  SIGCHLD, SIGCONT, SIGTSTP, SIGTTIN, SIGTTOU};
  return std::find(std::begin(kOthers), std::end(kOthers), signal) == std::end(kOthers);
}

// True if the program has received the signal too: the terminal sends it to the process group. The
// end of a terminal is reported to the leader of the session only.
bool is_from_terminal(int signal, const siginfo_t& info) {
  if (info.si_code != SI_KERNEL) return false;
  return signal == SIGINT || signal == SIGQUIT || signal == SIGWINCH ||
         (signal == SIGHUP && getsid(0) != getpid());
}

// A write of this command to a closed pipe.
bool is_own_pipe(int signal, const siginfo_t& info) {
  return signal == SIGPIPE && info.si_code == SI_USER && info.si_pid == getpid();
}

void forward(int signal, siginfo_t* info, void*) {
  const int saved = errno;
  if (signal == SIGINT || signal == SIGQUIT) interrupted = 1;
  if (child > 0 && !is_from_terminal(signal, *info) && !is_own_pipe(signal, *info)) {
    if (info->si_code == SI_QUEUE)
      sigqueue(child, signal, info->si_value);
    else
      kill(child, signal);
  }
  errno = saved;
}

// From now on no signal that can be handled ends this command.
void forward_signals() {
  struct sigaction action = {};
  action.sa_sigaction = forward;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigfillset(&action.sa_mask);
  for (int signal = 1; signal <= SIGRTMAX; ++signal)
    if (is_forwarded(signal)) sigaction(signal, &action, nullptr);  // fails for two of libc's own
}

// Blocks all signals and returns the previous mask.
sigset_t block_signals() {
  sigset_t all, before;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &before);
  return before;
}

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

// How the program ended.
struct Ending {
  int code = 0;    // as a shell reports it: its exit code, or 128 + the signal
  int signal = 0;  // 0: it exited
  int64_t utc = 0;
  LastSleep last = {};
};

// Until the program ends, looks twice a second what its threads wait for: whether any of them can
// still wake a task.
LastSleep watch_child() {
  const std::string pid = std::to_string(child);
  const auto file = static_cast<int>(syscall(SYS_pidfd_open, child, 0));
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

// Waits without reaping: until then the process id belongs to the program, and a signal that is
// forwarded cannot reach another process.
Ending wait_for_child() {
  const LastSleep last = watch_child();
  siginfo_t info;
  while (waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT) != 0) {
    if (errno != EINTR) die(1, std::string("wait: ") + strerror(errno));
  }
  const int64_t utc = utc_now();
  const sigset_t before = block_signals();
  int status = 0;
  waitpid(child, &status, 0);
  child = 0;
  sigprocmask(SIG_SETMASK, &before, nullptr);
  if (!WIFSIGNALED(status))
    return {.code = WEXITSTATUS(status), .signal = 0, .utc = utc, .last = last};
  const int signal = WTERMSIG(status);
  fprintf(stderr, "skein: the program was killed by signal %d (%s)\n", signal, strsignal(signal));
  return {.code = 128 + signal, .signal = signal, .utc = utc, .last = last};
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

// Starts the program. `more`: the recorder's options, after the directory in SKEIN_TRACE.
void start_child(const RecordOptions& options, const std::string& directory,
                 const std::string& more) {
  std::vector<char*> words;
  for (const std::string& word : options.command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  // The child reports a failure of exec through a pipe, which a successful exec closes.
  int report[2];
  if (pipe2(report, O_CLOEXEC) != 0) die(1, std::string("pipe: ") + strerror(errno));
  // A parent that ignores SIGCHLD passes this on; the child's exit code would be lost.
  struct sigaction reap = {};
  struct sigaction inherited = {};
  reap.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &reap, &inherited);
  const sigset_t before = block_signals();
  child = fork();
  if (child < 0) die(1, std::string("fork: ") + strerror(errno));
  if (child == 0) {
    sigaction(SIGCHLD, &inherited, nullptr);
    sigprocmask(SIG_SETMASK, &before, nullptr);
    setenv("SKEIN_TRACE", (with_pid(directory, getpid()) + more).c_str(), 1);
    execvp(words[0], words.data());
    const int reason = errno;
    [[maybe_unused]] const ssize_t written = write(report[1], &reason, sizeof reason);
    _exit(127);
  }
  forward_signals();  // after the fork: the program inherits which signals are ignored
  sigprocmask(SIG_SETMASK, &before, nullptr);
  close(report[1]);
  int reason = 0;
  const bool failed = read(report[0], &reason, sizeof reason) == sizeof reason;
  close(report[0]);
  if (!failed) return;
  while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  die(reason == ENOENT ? 127 : 126, options.command[0] + ": " + strerror(reason));
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

  // Checks the options with the recorder's own parser before the program runs.
  record::Options parsed;
  const char* wrong = record::parse_options((path.string() + variable).c_str(), parsed);
  for (const auto& [name, value] :
       {std::pair("--size", options.size), std::pair("--keep", options.keep),
        std::pair("--most", options.most), std::pair("--tasks", options.tasks),
        std::pair("--all-files-at-start", options.all_files_for)})
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

  start_child(options, path.string(), variable);
  const pid_t pid = child;
  directory = with_pid(directory, pid);
  const Ending ending = wait_for_child();
  note_trace_end(directory, pid, ending.utc, ending.last);

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
  const bool is_hang = ending.signal != 0 || interrupted != 0;
  const std::string path_text = escaped(directory);
  fprintf(stderr, "skein: wrote %.1f MB to %s; %s: skein %s %s\n",
          static_cast<double>(size.bytes) / 1e6, path_text.c_str(),
          is_hang ? "diagnose it with" : "inspect it with", is_hang ? "why" : "info",
          path_text.c_str());
  return ending.code;
}

}  // namespace skein::cli
