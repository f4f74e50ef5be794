#include "target/stopped_threads.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <string>

namespace {

using namespace skein;

char state_of(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  std::getline(file, line);
  const size_t end = line.rfind(')');
  return end == std::string::npos ? '?' : line[end + 2];
}

// A child that computes.
pid_t start_busy_child() {
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (volatile unsigned i = 0;;) i = i + 1;
  }
  return child;
}

TEST_CASE("a thread that computes stops, shows its registers, and continues") {
  const pid_t child = start_busy_child();
  REQUIRE(child > 0);
  {
    Result<StoppedThreads> stopped = StoppedThreads::stop(static_cast<uint64_t>(child));
    if (!stopped) {
      MESSAGE("skipped: ptrace is forbidden");
    } else {
      const Registers registers = stopped->registers(static_cast<uint64_t>(child));
      CHECK_FALSE(registers.is_empty());
#ifdef __x86_64__
      CHECK(registers.get(Registers::pc_of(Architecture::X86_64)).value_or(0) != 0);
      CHECK(registers.get(Registers::sp_of(Architecture::X86_64)).value_or(0) != 0);
#endif
      CHECK(state_of(child) == 't');
      CHECK(stopped->registers(1).is_empty());
      const int64_t pause = stopped->resume();
      CHECK(pause > 0);
      CHECK(stopped->resume() == pause);
    }
  }
  CHECK(state_of(child) == 'R');
  kill(child, SIGKILL);
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(WTERMSIG(status) == SIGKILL);
}

TEST_CASE("a process that does not exist has no threads") {
  CHECK_FALSE(StoppedThreads::stop(0x7fffffff));
}

}  // namespace
