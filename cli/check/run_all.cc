#include "cli/check/run_all.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <map>
#include <set>
#include <string>

#include "cli/check/process_tree.h"
#include "cli/die.h"

namespace skein::cli {

namespace {

bool is_forwarded_to_tests(int signal) {
  constexpr int kNot[] = {SIGKILL, SIGSTOP, SIGSEGV, SIGBUS,  SIGFPE,  SIGILL,  SIGTRAP, SIGABRT,
                          SIGSYS,  SIGCHLD, SIGCONT, SIGTSTP, SIGTTIN, SIGTTOU, SIGPIPE};
  return std::find(std::begin(kNot), std::end(kNot), signal) == std::end(kNot);
}

bool ends_run(int signal) {
  return signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT;
}

// True if the terminal has sent it to the whole process group.
bool reached_group(const signalfd_siginfo& info) {
  const auto signal = static_cast<int>(info.ssi_signo);
  return info.ssi_code == SI_KERNEL &&
         (signal == SIGINT || signal == SIGQUIT || signal == SIGWINCH ||
          (signal == SIGHUP && getsid(0) != getpid()));
}

// Blocks the signals and receives them by a descriptor.
class Signals {
 public:
  Signals() {
    sigset_t wanted;
    sigemptyset(&wanted);
    for (int signal = 1; signal <= SIGRTMAX; signal++) {
      // What this process was started to ignore, the tests ignore too.
      struct sigaction action = {};
      if (!is_forwarded_to_tests(signal) || sigaction(signal, nullptr, &action) != 0) continue;
      if (action.sa_handler != SIG_IGN) sigaddset(&wanted, signal);
    }
    sigprocmask(SIG_BLOCK, &wanted, &before_);
    descriptor_ = signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
    if (descriptor_ < 0) die(1, std::string("signalfd: ") + strerror(errno));
  }
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;
  ~Signals() {
    close(descriptor_);
    sigprocmask(SIG_SETMASK, &before_, nullptr);
  }
  int descriptor() const { return descriptor_; }
  const sigset_t& before() const { return before_; }

 private:
  sigset_t before_ = {};
  int descriptor_ = -1;
};

class Schedule {
 public:
  Schedule(const std::vector<TestRun>& runs, size_t jobs,
           const std::function<bool(size_t, const RunEnd*)>& ended)
      : runs_(runs), jobs_(std::max<size_t>(jobs, 1)), ended_(ended), states_(runs.size()) {
    for (size_t i = 0; i < runs.size(); i++) by_name_.emplace(runs[i].test.name, i);
  }

  int run() {
    for (;;) {
      if (interrupted_by_ == 0) start_all();
      if (running_.empty()) break;
      wait();
    }
    // What a killed guard has left.
    if (has_lost_guard_ || interrupted_by_ != 0) kill_descendants();
    return interrupted_by_;
  }

 private:
  enum class State : uint8_t { Waits, Runs, Good, Bad };

  bool is_over(const std::string& name, bool must_be_good, bool& is_hopeless) const {
    const auto at = by_name_.find(name);
    if (at == by_name_.end()) return true;
    const State state = states_[at->second];
    if (must_be_good && state == State::Bad) is_hopeless = true;
    return state == State::Good || state == State::Bad;
  }

  bool is_free(const Test& test) const {
    if (running_.size() >= jobs_) return false;
    for (const auto& [index, running] : running_) {
      const Test& other = runs_[index].test;
      if (test.is_alone || other.is_alone) return false;
      for (const std::string& lock : test.locks)
        if (std::find(other.locks.begin(), other.locks.end(), lock) != other.locks.end())
          return false;
    }
    return true;
  }

  // Tests that wait for each other in a circle start when no other can.
  void start_all() {
    for (;;) {
      bool has_changed = false;
      for (size_t i = 0; i < runs_.size(); i++) has_changed = try_start(i, false) || has_changed;
      if (has_changed) continue;
      if (!running_.empty()) return;
      const auto waits = std::find(states_.begin(), states_.end(), State::Waits);
      if (waits == states_.end()) return;
      try_start(static_cast<size_t>(waits - states_.begin()), true);
      return;
    }
  }

  bool try_start(size_t index, bool is_forced) {
    const Test& test = runs_[index].test;
    if (states_[index] != State::Waits) return false;
    bool is_hopeless = false;
    bool is_due = true;
    for (const std::string& name : test.after) is_due = is_over(name, false, is_hopeless) && is_due;
    for (const std::string& name : test.needs) is_due = is_over(name, true, is_hopeless) && is_due;
    if (is_hopeless || test.is_disabled || !test.obstacle.empty()) {
      states_[index] = ended_(index, nullptr) ? State::Good : State::Bad;
      return true;
    }
    if (!is_forced && (!is_due || !is_free(test))) return false;
    states_[index] = State::Runs;
    running_.emplace(index, RunningTest(runs_[index], signals_.before()));
    return true;
  }

  void wait() {
    std::vector<pollfd> ready = {{.fd = signals_.descriptor(), .events = POLLIN, .revents = 0}};
    std::vector<size_t> indices;
    for (const auto& [index, test] : running_) {
      ready.push_back({.fd = test.descriptor(), .events = POLLIN, .revents = 0});
      indices.push_back(index);
    }
    if (poll(ready.data(), ready.size(), -1) < 0) return;
    if (ready[0].revents != 0) forward_signals();
    for (size_t i = 0; i < indices.size(); i++) {
      if (ready[i + 1].revents == 0) continue;
      const auto at = running_.find(indices[i]);
      const RunEnd end = at->second.end();
      running_.erase(at);
      has_lost_guard_ = has_lost_guard_ || end.kind == RunEnd::Kind::Lost;
      states_[indices[i]] = ended_(indices[i], &end) ? State::Good : State::Bad;
    }
  }

  void forward_signals() {
    signalfd_siginfo info = {};
    while (read(signals_.descriptor(), &info, sizeof info) == sizeof info) {
      const auto signal = static_cast<int>(info.ssi_signo);
      if (ends_run(signal)) interrupted_by_ = signal;
      for (const auto& [index, test] : running_) test.send(signal, reached_group(info));
    }
  }

  const std::vector<TestRun>& runs_;
  const size_t jobs_;
  const std::function<bool(size_t, const RunEnd*)>& ended_;
  std::map<std::string, size_t> by_name_ = {};
  std::vector<State> states_;
  const Signals signals_ = {};
  std::map<size_t, RunningTest> running_ = {};
  int interrupted_by_ = 0;
  bool has_lost_guard_ = false;
};

}  // namespace

int run_all(const std::vector<TestRun>& runs, size_t jobs,
            const std::function<bool(size_t, const RunEnd*)>& ended) {
  // Before each fork: what is in the buffers would be written twice.
  fflush(nullptr);
  std::cout.flush();
  prctl(PR_SET_CHILD_SUBREAPER, 1);  // for what a killed guard leaves
  const int signal = Schedule(runs, jobs, ended).run();
  prctl(PR_SET_CHILD_SUBREAPER, 0);
  return signal;
}

}  // namespace skein::cli
