#include "cli/check/crash_catcher.h"

#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "cli/input/thread_state.h"
#include "target/thread_ids.h"

namespace skein::cli {

namespace {

std::string task_folder(pid_t process) { return "/proc/" + std::to_string(process) + "/task"; }

// Whether the process has the default action for this signal: it neither handles nor ignores it.
bool has_default_action(pid_t process, int signal) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  bool is_default = true;
  for (std::string line; std::getline(status, line);) {
    std::string_view text = line;
    if (!text.starts_with("SigCgt:") && !text.starts_with("SigIgn:")) continue;
    text.remove_prefix(std::min(text.find_first_not_of(" \t", 7), text.size()));
    uint64_t signals = 0;
    std::from_chars(text.data(), text.data() + text.size(), signals, 16);
    if ((signals >> (signal - 1) & 1) != 0) is_default = false;
  }
  return is_default;
}

}  // namespace

bool is_crash(int signal) {
  constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE,  SIGILL, SIGABRT,
                              SIGTRAP, SIGSYS, SIGXCPU, SIGXFSZ};
  return std::find(std::begin(kSignals), std::end(kSignals), signal) != std::end(kSignals);
}

int CrashCatcher::follow(pid_t test) {
  if (ptrace(PTRACE_SEIZE, test, nullptr, PTRACE_O_TRACECLONE) != 0) return errno;
  test_ = test;
  return 0;
}

void CrashCatcher::handle_stop(pid_t thread, int status) {
  const int signal = WSTOPSIG(status);
  const int event = status >> 16;
  const auto go_on = [&](int request, int with) {
    ptrace(static_cast<__ptrace_request>(request), thread, nullptr, static_cast<intptr_t>(with));
  };
  // clone() with a termination signal of its own creates a process that the kernel follows, too.
  if (access((task_folder(test_) + "/" + std::to_string(thread)).c_str(), F_OK) != 0)
    return go_on(PTRACE_DETACH, event == 0 ? signal : 0);
  // It must not go on before the thread that crashes has received its SIGSTOP: it may crash as
  // well, and end the process.
  if (has_crash()) return held_.push_back(thread);
  if (event != 0) {
    const bool is_group_stop =
        event == PTRACE_EVENT_STOP &&
        (signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU);
    return go_on(is_group_stop ? PTRACE_LISTEN : PTRACE_CONT, 0);
  }
  if (!is_crash(signal) || !has_default_action(test_, signal)) return go_on(PTRACE_CONT, signal);
  signal_ = signal;
  thread_ = thread;
  go_on(PTRACE_DETACH, SIGSTOP);
}

bool CrashCatcher::has_stopped() {
  // Threads that are released from now on join the stop of the process.
  if (thread_state(static_cast<uint64_t>(thread_)) == 'T') release_held();
  for (const uint64_t thread : thread_ids(task_folder(test_))) {
    const char state = thread_state(thread);
    if (state != 'T' && state != 'Z' && state != 'X' && state != '?') return false;
  }
  return true;
}

char CrashCatcher::thread_state(uint64_t thread) const {
  std::string line;
  std::getline(std::ifstream(task_folder(test_) + "/" + std::to_string(thread) + "/stat"), line);
  return state_letter(line);
}

void CrashCatcher::release_held() {
  for (const pid_t thread : held_) ptrace(PTRACE_DETACH, thread, nullptr, 0);
  held_.clear();
}

void CrashCatcher::let_end() {
  release_held();
  syscall(SYS_tgkill, test_, thread_, signal_);
  kill(test_, SIGCONT);
}

}  // namespace skein::cli
