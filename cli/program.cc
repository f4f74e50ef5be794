#include "cli/program.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <utility>

#include "cli/die.h"

namespace skein::cli {

namespace {

volatile pid_t child = 0;  // 0: none, or it has ended
volatile sig_atomic_t interrupted = 0;
int release_end = -1;  // of a pipe: the child waits until it is closed
int report_end = -1;   // of a pipe: the child writes why exec failed; a successful one closes it

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

// The child's part: does not return.
[[noreturn]] void become_program(const std::vector<std::string>& command, int release, int report) {
  char nothing = 0;
  ssize_t count = 0;
  do count = read(release, &nothing, 1);
  while (count < 0 && errno == EINTR);
  if (count > 0) _exit(127);  // abandoned
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  execvp(words[0], words.data());
  const int reason = errno;
  [[maybe_unused]] const ssize_t written = write(report, &reason, sizeof reason);
  _exit(127);
}

}  // namespace

void fork_program(const std::vector<std::string>& command, const std::function<void()>& in_child) {
  int report[2];
  int release[2];
  if (pipe2(report, O_CLOEXEC) != 0 || pipe2(release, O_CLOEXEC) != 0)
    die(1, std::string("pipe: ") + strerror(errno));
  // A parent that ignores SIGCHLD passes this on; the child's exit code would be lost.
  struct sigaction reap = {};
  struct sigaction inherited = {};
  reap.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &reap, &inherited);
  const sigset_t before = block_signals();
  child = fork();
  if (child < 0) die(1, std::string("fork: ") + strerror(errno));
  if (child == 0) {
    close(release[1]);
    close(report[0]);
    sigaction(SIGCHLD, &inherited, nullptr);
    sigprocmask(SIG_SETMASK, &before, nullptr);
    in_child();
    become_program(command, release[0], report[1]);
  }
  forward_signals();  // after the fork: the program inherits which signals are ignored
  sigprocmask(SIG_SETMASK, &before, nullptr);
  close(report[1]);
  close(release[0]);
  report_end = report[0];
  release_end = release[1];
}

void execute_program(const std::vector<std::string>& command) {
  close(std::exchange(release_end, -1));
  int reason = 0;
  ssize_t size = 0;
  do size = read(report_end, &reason, sizeof reason);
  while (size < 0 && errno == EINTR);
  close(std::exchange(report_end, -1));
  if (size != sizeof reason) return;
  while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  die(reason == ENOENT ? 127 : 126, command[0] + ": " + strerror(reason));
}

void abandon_program() {
  if (release_end < 0) return;
  const char end = 1;
  [[maybe_unused]] const ssize_t written = write(release_end, &end, 1);
  close(std::exchange(release_end, -1));
  close(std::exchange(report_end, -1));
  while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  child = 0;
}

pid_t program_pid() { return child; }

bool was_interrupted() { return interrupted != 0; }

void wait_for_program() {
  siginfo_t info;
  while (waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT) != 0) {
    if (errno != EINTR) die(1, std::string("wait: ") + strerror(errno));
  }
}

ProgramEnd reap_program() {
  const sigset_t before = block_signals();
  int status = 0;
  waitpid(child, &status, 0);
  child = 0;
  sigprocmask(SIG_SETMASK, &before, nullptr);
  if (!WIFSIGNALED(status)) return {.code = WEXITSTATUS(status), .signal = 0};
  const int signal = WTERMSIG(status);
  fprintf(stderr, "skein: the program was killed by signal %d (%s)\n", signal, strsignal(signal));
  return {.code = 128 + signal, .signal = signal};
}

}  // namespace skein::cli
