// A program disables the time stamp counter (PR_SET_TSC), which the vDSO's clock_gettime needs,
// too, or enters seccomp's strict mode, which does the same and forbids most system calls.
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <thread>

#include "tests/recorder/check.h"
#include "tests/recorder/numbered.h"
#include "tests/recorder/scratch.h"

namespace {

using namespace skein::test;

bool disable_counter() { return prctl(PR_SET_TSC, PR_TSC_SIGSEGV) == 0; }
void enable_counter() { prctl(PR_SET_TSC, PR_TSC_ENABLE); }

void make_calls(uint64_t executor, uint64_t count) {
  NumberedCalls calls(executor);
  for (uint64_t n = 1; n <= count; ++n) calls.make(n);
}

// A start without the counter reads the clock by system calls.
void disabled_before_start(const std::string& directory) {
  if (!disable_counter()) return skip("PR_SET_TSC");
  SKEIN_CHECK(start_trace_at(directory, {.size = 64 << 10}) == 0, "start");
  make_calls(1, 20'000);
  std::thread(make_calls, 2, 20'000).join();
  skein_status status;
  skein_get_status(&status);
  skein_stop();
  enable_counter();
  SKEIN_CHECK(status.clock_is_tsc == 0, "it reads the counter");
  SKEIN_CHECK(read_good_trace(directory).count("send") > 100, "nothing recorded");
}

// ---- in a program of its own, because SKEIN_TRACE is read at its start

// clock=syscall: events, chunk changes and new threads without the counter.
int disables_later() {
  if (skein_enabled() == 0) return 3;
  make_calls(1, 100);
  if (!disable_counter()) return kSkipped;
  make_calls(2, 20'000);
  std::thread(make_calls, 3, 20'000).join();
  enable_counter();
  return 0;
}

// Any clock: nothing is recorded without the counter, and the recorder reads no clock by itself.
int disables_and_ends() {
  if (skein_enabled() == 0) return 3;
  make_calls(1, 100);
  return disable_counter() ? 0 : kSkipped;
}

// Any clock: strict mode permits only read, write and exit.
int enters_strict_mode() {
  if (skein_enabled() == 0) return 3;
  make_calls(1, 100);
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0) return kSkipped;
  const bool written = write(1, "", 0) == 0;
  syscall(SYS_exit, written ? 0 : 4);
  return 5;
}

struct Role {
  const char* name;
  int (*body)();
  const char* options;
};
constexpr Role kRoles[] = {
    {"disables later", disables_later, ",size=64k,clock=syscall"},
    {"disables later, log", disables_later, ",mode=log,clock=syscall"},
    {"disables and ends", disables_and_ends, ""},
    {"enters strict mode", enters_strict_mode, ""},
    {"enters strict mode, syscall", enters_strict_mode, ",clock=syscall"},
};

void run(const Role& role, const std::string& directory) {
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    setenv("SKEIN_TRACE", (directory + role.options).c_str(), 1);
    execl("/proc/self/exe", "recorder_clock", role.name, nullptr);
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == kSkipped) return skip(role.name);
  SKEIN_CHECK(status == 0, "%s: status %x", role.name, static_cast<unsigned>(status));
  const Trace trace = read_good_trace(directory);
  SKEIN_CHECK(trace.count("send") > 0 && trace.lost() == 0, "%s", role.name);
}

}  // namespace

int main(int count, char** values) {
  if (count > 1) {
    for (const Role& role : kRoles)
      if (strcmp(values[1], role.name) == 0) return role.body();
    return 2;
  }
  Scratch scratch("clock");
  SKEIN_CHECK(good(in_child([&] { disabled_before_start(scratch / "before"); })), "before start");
  if (!fork_wipes_pages()) {
    skip("the recorded programs: qemu-user cannot execute another, and has no strict mode");
    return verdict();
  }
  unsigned number = 0;
  for (const Role& role : kRoles) run(role, scratch / std::to_string(number++));
  return verdict();
}
