#include "cli/check/guarded_run.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "cli/check/crash_catcher.h"
#include "cli/check/explain_hang.h"
#include "cli/check/kernel_core.h"
#include "cli/check/patterns.h"
#include "cli/check/process_tree.h"
#include "cli/die.h"

namespace skein::cli {

namespace {

constexpr int64_t second = 1'000'000'000;

int64_t steady_ns() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * second + now.tv_nsec;
}

bool ends_programs(int signal) {
  return signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT;
}

// The child's answer if it cannot execute the test.
struct StartFailure {
  int reason = 0;
  bool not_folder = false;
};

// Everything in the guard. It is the only thread, and leaves by _exit().
class Guard {
 public:
  Guard(const TestRun& run, const sigset_t& mask, pid_t parent, int report)
      : run_(run), mask_(mask), parent_(parent), report_(report), begin_(steady_ns()) {}

  // An exception must not unwind into the code of the parent.
  [[noreturn]] void run() noexcept {
    const pid_t group = getpgrp();
    setpgid(0, 0);  // what kills the whole group does not kill the guard
    prctl(PR_SET_NAME, "skein-guard");
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, nullptr);
    // The parent may ignore SIGCHLD, and then the test does too; here its status would be lost.
    struct sigaction reap = {};
    reap.sa_handler = SIG_DFL;
    sigaction(SIGCHLD, &reap, &inherited_);
    signals_ = signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent_) leave_nothing();
    if (signals_ < 0) finish(RunEnd::Kind::Lost);
    start(group);
    wait();
  }

 private:
  // Reports the end, and ends when the report has been received. If it is not, because the parent
  // has been killed in this moment, perhaps together with the test, nothing is left.
  [[noreturn]] void finish(RunEnd::Kind kind) {
    end_.kind = kind;
    end_.ns = static_cast<uint64_t>(steady_ns() - begin_);
    bool is_received = send(report_, &end_, sizeof end_, MSG_NOSIGNAL) == sizeof end_;
    while (is_received) {
      pollfd ready[] = {{.fd = report_, .events = POLLIN, .revents = 0},
                        {.fd = signals_, .events = POLLIN, .revents = 0}};
      poll(ready, 2, -1);
      char answer = 0;
      if (ready[0].revents != 0 && recv(report_, &answer, 1, MSG_DONTWAIT) == 1) _exit(0);
      if (getppid() != parent_) is_received = false;
      signalfd_siginfo info = {};
      while (read(signals_, &info, sizeof info) == sizeof info) {
      }
    }
    leave_nothing();
  }

  [[noreturn]] void leave_nothing() {
    kill_descendants();
    if (run_.is_temporary) {
      std::error_code error;
      const std::filesystem::path folder = run_.folder;
      std::filesystem::remove_all(folder, error);
      std::filesystem::remove(folder.parent_path(), error);  // by the last guard
    }
    _exit(0);
  }

  void start(pid_t group) {
    int failure[2];
    int go[2];
    if (run_.test.command.empty()) {
      end_.reason = ENOENT;
      finish(RunEnd::Kind::NotStarted);
    }
    if (pipe2(failure, O_CLOEXEC) != 0 || pipe2(go, O_CLOEXEC) != 0) {
      end_.reason = errno;
      finish(RunEnd::Kind::NotStarted);
    }
    require_files();
    const pid_t guard = getpid();
    test_ = fork();
    if (test_ < 0) {
      end_.reason = errno;
      finish(RunEnd::Kind::NotStarted);
    }
    if (test_ == 0) {
      close(go[1]);
      become_test(group, guard, go[0], failure[1]);
    }
    close(failure[1]);
    close(go[0]);
    if (run_.catches_crashes) catch_error_ = catcher_.follow(test_);
    close(go[1]);
    StartFailure reason;
    if (read(failure[0], &reason, sizeof reason) == sizeof reason) {
      end_.reason = reason.reason;
      end_.not_folder = reason.not_folder;
      kill_descendants();
      finish(RunEnd::Kind::NotStarted);
    }
    close(failure[0]);
  }

  void require_files() {
    const std::filesystem::path folder = run_.test.folder;
    const std::vector<std::string>& files = run_.test.required_files;
    for (size_t i = 0; i < files.size(); i++) {
      if (access((folder / files[i]).c_str(), F_OK) == 0) continue;
      end_.reason = errno;
      end_.missing_file = i;
      finish(RunEnd::Kind::NotStarted);
    }
  }

  [[noreturn]] void become_test(pid_t group, pid_t guard, int go, int failure) {
    setpgid(0, group);  // fails if it is gone: then the guard's
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_NAME, "skein");
    if (getppid() != guard) _exit(127);
    char nothing = 0;
    while (read(go, &nothing, 1) < 0 && errno == EINTR) {  // until the guard has closed it
    }
    StartFailure reason;
    if (!run_.test.folder.empty() && chdir(run_.test.folder.c_str()) != 0) {
      reason = {.reason = errno, .not_folder = true};
    } else if (run_.captures && !redirect_output()) {
      reason = {.reason = errno};
    } else {
      for (const auto& [name, value] : run_.test.environment)
        value ? setenv(name.c_str(), value->c_str(), 1) : unsetenv(name.c_str());
      if (!run_.trace.empty()) setenv("SKEIN_TRACE", run_.trace.c_str(), 1);
      std::vector<char*> words;
      for (const std::string& word : run_.test.command)
        words.push_back(const_cast<char*>(word.c_str()));
      words.push_back(nullptr);
      sigaction(SIGCHLD, &inherited_, nullptr);
      sigprocmask(SIG_SETMASK, &mask_, nullptr);
      execvp(words[0], words.data());
      reason = {.reason = errno};
    }
    [[maybe_unused]] const ssize_t written = write(failure, &reason, sizeof reason);
    _exit(127);
  }

  bool redirect_output() const {
    const int file =
        open(output_file(run_.folder).c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    return file >= 0 && dup2(file, 1) == 1 && dup2(file, 2) == 2;
  }

  [[noreturn]] void wait() {
    int64_t deadline = begin_ + static_cast<int64_t>(std::min(run_.timeout, 1e18));
    bool is_interrupted = false;
    for (;;) {
      int64_t left = std::max<int64_t>(deadline - steady_ns(), 0);
      if (watches_output()) left = std::min(left, second / 20);
      pollfd ready = {.fd = signals_, .events = POLLIN, .revents = 0};
      const timespec time = {.tv_sec = left / second, .tv_nsec = left % second};
      ppoll(&ready, 1, &time, nullptr);
      signalfd_siginfo info = {};
      while (read(signals_, &info, sizeof info) == sizeof info) {
        if (getppid() != parent_) leave_nothing();
        const auto signal = static_cast<int>(info.ssi_signo);
        if (static_cast<pid_t>(info.ssi_pid) != parent_ || signal == SIGCHLD) continue;
        if (info.ssi_int == 0) kill(test_, signal);
        if (!ends_programs(signal) || is_interrupted) continue;
        is_interrupted = true;
        deadline = steady_ns() + 2 * second;
      }
      // After the signals have been read: what happens from now on sends another one. And before
      // the timeout: if this process could not run for long, the test may have ended in time.
      if (reap()) finish_ended();
      if (catcher_.has_crash() && !is_crash_explained_) {
        explain_crash();
        deadline = steady_ns() + 2 * second;
      }
      if (watches_output() && !is_interrupted && !is_crash_explained_ && matches_output())
        deadline = steady_ns() + static_cast<int64_t>(std::min(run_.test.after_match, 1e18));
      if (steady_ns() < deadline) continue;
      if (reap()) finish_ended();
      if (is_interrupted) end_all(RunEnd::Kind::Interrupted);
      if (is_crash_explained_) {  // it does not end by the signal
        end_.status = catcher_.signal();
        end_all(RunEnd::Kind::Ended);
      }
      explain();
      terminate_all();
      end_all(RunEnd::Kind::TimedOut);
    }
  }

  bool watches_output() const {
    return run_.captures && !run_.test.match_patterns.empty() && end_.match == RunEnd::none;
  }

  bool matches_output() {
    const std::string* const match = output_.match();
    if (match == nullptr) return false;
    end_.match = static_cast<size_t>(match - run_.test.match_patterns.data());
    return true;
  }

  // Reaps what has ended. Returns true if the test has.
  bool reap() {
    int status = 0;
    const int options = WNOHANG | (catcher_.follows() ? __WALL : 0);
    for (pid_t pid = 0; (pid = waitpid(-1, &status, options)) > 0;) {
      if (WIFSTOPPED(status)) catcher_.handle_stop(pid, status);
      if (pid != test_ || (!WIFEXITED(status) && !WIFSIGNALED(status))) continue;
      end_.status = status;
      return true;
    }
    return false;
  }

  void explain() {
    start_report_alarm();
    note_place(explain_hang(test_, trace_directory_of(run_.folder), report_file(run_.folder),
                            !run_.is_temporary));
    alarm(0);
  }

  // An explanation that takes too long ends the guard, and with it the test.
  static void start_report_alarm() {
    constexpr unsigned longest = 120;
    sigset_t alarm_only;
    sigemptyset(&alarm_only);
    sigaddset(&alarm_only, SIGALRM);
    sigprocmask(SIG_UNBLOCK, &alarm_only, nullptr);
    alarm(longest);
  }

  void note_place(const SourcePlace& place) {
    end_.line = place.line;
    if (place.file.size() < sizeof end_.file)
      memcpy(end_.file, place.file.data(), place.file.size());
  }

  void explain_crash() {
    is_crash_explained_ = true;
    // A thread may be in a call that no signal interrupts.
    const int64_t end = steady_ns() + second;
    while (!catcher_.has_stopped() && steady_ns() < end) {
      const timespec time = {.tv_sec = 0, .tv_nsec = 1'000'000};
      nanosleep(&time, nullptr);
      if (reap()) finish_ended();
    }
    start_report_alarm();
    note_place(explain_crashing({.process = test_,
                                 .thread = catcher_.thread(),
                                 .signal = catcher_.signal(),
                                 .trace = trace_directory_of(run_.folder),
                                 .report = report_file(run_.folder),
                                 .keeps_memory = !run_.is_temporary}));
    alarm(0);
    end_.has_stacks = true;
    catcher_.let_end();
  }

  void explain_kernel_core() {
    if (is_crash_explained_ || !WCOREDUMP(end_.status)) return;
    const std::string core = kernel_core_of(test_, run_.test.folder);
    if (core.empty()) return;
    note_place(explain_core(core, run_.is_temporary ? "" : run_.folder + "/memory.core",
                            trace_directory_of(run_.folder), report_file(run_.folder)));
    end_.has_stacks = true;
  }

  [[noreturn]] void finish_ended() {
    if (WIFSIGNALED(end_.status) && is_crash(WTERMSIG(end_.status))) {
      start_report_alarm();
      if (catch_error_ != 0) report_uncaught(report_file(run_.folder), catch_error_);
      explain_kernel_core();
      explain_crashed(test_, trace_directory_of(run_.folder), report_file(run_.folder));
      alarm(0);
    }
    finish(RunEnd::Kind::Ended);
  }

  // For those that write their results when they receive SIGTERM.
  void terminate_all() {
    for (const pid_t pid : descendants_of(getpid())) kill(pid, SIGTERM);
    const int64_t end = steady_ns() + second / 2;
    while (steady_ns() < end && !descendants_of(getpid()).empty()) {
      const timespec time = {.tv_sec = 0, .tv_nsec = 5'000'000};
      nanosleep(&time, nullptr);
    }
  }

  [[noreturn]] void end_all(RunEnd::Kind kind) {
    const int64_t at = steady_ns();
    kill_descendants();
    begin_ += steady_ns() - at;
    finish(kind);
  }

  const TestRun& run_;
  const sigset_t mask_;
  const pid_t parent_;
  const int report_;
  int64_t begin_;
  struct sigaction inherited_ = {};
  int signals_ = -1;
  pid_t test_ = 0;
  CrashCatcher catcher_ = {};
  int catch_error_ = 0;
  bool is_crash_explained_ = false;
  OutputWatch output_{output_file(run_.folder), run_.test.match_patterns};
  RunEnd end_ = {};
};

}  // namespace

std::string output_file(const std::string& folder) { return folder + "/output.txt"; }
std::string report_file(const std::string& folder) { return folder + "/report.txt"; }
std::string trace_directory_of(const std::string& folder) { return folder + "/trace.skein"; }

RunningTest::RunningTest(const TestRun& run, const sigset_t& mask) {
  int report[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, report) != 0)
    die(1, std::string("socketpair: ") + strerror(errno));
  const pid_t parent = getpid();
  guard_ = fork();
  if (guard_ < 0) die(1, std::string("fork: ") + strerror(errno));
  if (guard_ == 0) {
    close(report[0]);
    Guard(run, mask, parent, report[1]).run();
  }
  close(report[1]);
  descriptor_ = report[0];
}

RunningTest::RunningTest(RunningTest&& other) noexcept
    : guard_(std::exchange(other.guard_, 0)), descriptor_(std::exchange(other.descriptor_, -1)) {}

RunningTest::~RunningTest() {
  if (guard_ == 0) return;
  send(SIGTERM, false);
  end();
}

RunEnd RunningTest::end() {
  RunEnd end;
  ssize_t size = 0;
  do size = recv(descriptor_, &end, sizeof end, 0);
  while (size < 0 && errno == EINTR);
  if (size != static_cast<ssize_t>(sizeof end)) end = RunEnd{};
  const char answer = 1;
  ::send(descriptor_, &answer, 1, MSG_NOSIGNAL);
  close(std::exchange(descriptor_, -1));
  while (waitpid(guard_, nullptr, 0) < 0 && errno == EINTR) {
  }
  guard_ = 0;
  return end;
}

void RunningTest::send(int signal, bool has_received_it) const {
  if (guard_ != 0) sigqueue(guard_, signal, {.sival_int = has_received_it ? 1 : 0});
}

}  // namespace skein::cli
