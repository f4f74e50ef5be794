// SIGKILL while a trace is created: the trace's directory either does not exist or is complete.
//
//     crash_start KILLS [SEED]
//
// First a program is stopped at every system call of skein_start and of its first events, and its
// directory is checked: directory entries change at these instants only. Then KILLS programs are
// killed at random instants, from their first instruction on. If the directory exists, the tests'
// decoder and babeltrace2 read it each time.
#include <signal.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <random>
#include <string>

#include "tests/recorder/check.h"
#include "tests/recorder/numbered.h"
#include "tests/recorder/scratch.h"

namespace {

using namespace skein::test;

struct Shared {
  std::atomic<bool> begun;
  std::atomic<uint64_t> acknowledged;
};

struct Tally {
  unsigned hidden = 0, visible = 0;
};

uint64_t now_ns() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(t.tv_nsec);
}

void begin_trace(const std::string& directory, Shared& shared) {
  shared.begun = true;
  if (start_trace_at(directory, {.size = 64 << 10}) != 0) _exit(3);
  NumberedCalls calls(1);
  for (uint64_t n = 1; n <= 5; ++n) {
    calls.make(n);
    shared.acknowledged.store(n, std::memory_order_release);
  }
}

// Checks the directory. No process may be changing it.
void check_trace(const std::string& directory, const Shared& shared, bool babeltrace,
                 Tally& tally) {
  if (!std::filesystem::exists(directory)) {
    ++tally.hidden;
    SKEIN_CHECK(shared.acknowledged == 0, "events, but no trace");
    return;
  }
  ++tally.visible;
  const Trace trace = read_good_trace(directory);
  SKEIN_CHECK(!trace.streams.empty(), "no stream");
  if (babeltrace) SKEIN_CHECK(babeltrace_reads(directory), "babeltrace2 fails");
  uint64_t last = 0;
  for (const Stream& stream : trace.streams) {
    const Run run = find_run(stream.events(), 1);
    SKEIN_CHECK(run.problem.empty(), "%s", run.problem.c_str());
    if (run.last > last) last = run.last;
  }
  SKEIN_CHECK(last == shared.acknowledged || last == shared.acknowledged + 1, "newest %llu",
              static_cast<unsigned long long>(last));
}

// False if programs cannot be traced here.
bool stop_at_every_call(const std::string& directory, Shared& shared, bool babeltrace) {
  fflush(stdout);
  const pid_t program = fork();
  if (program == 0) {
    if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(77);
    raise(SIGSTOP);
    begin_trace(directory, shared);
    _exit(0);
  }
  Tally tally;
  int status = 0;
  while (waitpid(program, &status, 0) == program && WIFSTOPPED(status) && failures == 0) {
    check_trace(directory, shared, babeltrace, tally);
    ptrace(PTRACE_SYSCALL, program, nullptr, nullptr);
  }
  if (WIFSTOPPED(status)) {
    kill(program, SIGKILL);
    waitpid(program, &status, 0);
  } else {
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77) return false;
    SKEIN_CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "it ended with %x", status);
    SKEIN_CHECK(tally.hidden > 0 && tally.visible > 0, "nothing was seen");
  }
  printf("stopped at %u system calls before the trace was to be seen, at %u after\n", tally.hidden,
         tally.visible);
  return true;
}

void kill_at_random(const std::string& directory, Shared& shared, uint64_t within_ns,
                    std::mt19937_64& random, bool babeltrace, Tally& tally) {
  shared.begun = false;
  shared.acknowledged = 0;
  const uint64_t wait = random() % within_ns;
  fflush(stdout);
  const pid_t program = fork();
  if (program == 0) {
    begin_trace(directory, shared);
    for (;;) pause();
  }
  while (!shared.begun) {
  }
  for (const uint64_t begin = now_ns(); now_ns() - begin < wait;) {
  }
  kill(program, SIGKILL);
  int status = 0;
  waitpid(program, &status, 0);
  SKEIN_CHECK(WIFSIGNALED(status), "it ended by itself: %x", status);
  check_trace(directory, shared, babeltrace, tally);
}

}  // namespace

int main(int count, char** values) {
  if (count < 2) {
    fprintf(stderr, "usage: crash_start KILLS [SEED]\n");
    return 2;
  }
  const auto kills = static_cast<unsigned>(strtoul(values[1], nullptr, 10));
  const auto seed =
      count > 2 ? static_cast<unsigned>(strtoul(values[2], nullptr, 10)) : std::random_device()();
  const bool babeltrace = have_babeltrace();
  printf("seed %u%s\n", seed, babeltrace ? "" : "; without babeltrace2");
  std::mt19937_64 random(seed);
  Scratch scratch("begin");
  auto& shared = *static_cast<Shared*>(
      mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  const bool traceable = stop_at_every_call(scratch / "stopped", shared, babeltrace);

  uint64_t within = UINT64_MAX;
  for (int i = 0; i < 5; ++i) {
    const uint64_t begin = now_ns();
    in_child([&] { begin_trace(scratch / ("whole" + std::to_string(i)), shared); });
    within = std::min(within, (now_ns() - begin) * 5 / 4);
  }
  Tally tally;
  for (unsigned i = 0; i < kills && failures == 0; ++i) {
    const std::string directory = scratch / std::to_string(i);
    kill_at_random(directory, shared, within, random, babeltrace, tally);
    if (failures == 0) std::filesystem::remove_all(directory);
  }
  printf("%u kills within %.1f ms: %u before the trace was to be seen, %u after\n",
         tally.hidden + tally.visible, static_cast<double>(within) * 1e-6, tally.hidden,
         tally.visible);
  const int result = verdict();
  return result == 0 && !traceable ? kSkipped : result;
}
