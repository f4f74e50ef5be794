#include "cli/check/process_tree.h"

#include <doctest/doctest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

namespace {

using namespace skein::cli;

// Each process starts the next one and ends, like a daemon that starts.
[[noreturn]] void become_chain(int length) {
  for (int i = 0; i < length; i++)
    if (fork() != 0) _exit(0);
  for (;;) pause();
}

TEST_CASE("kill_descendants() leaves none, whichever process starts one while it looks") {
  for (int i = 0; i < 5; i++) {
    const pid_t guard = fork();
    REQUIRE(guard >= 0);
    if (guard == 0) {
      prctl(PR_SET_CHILD_SUBREAPER, 1);
      if (fork() == 0) become_chain(500);
      const bool is_done = kill_descendants();
      const bool none = waitpid(-1, nullptr, WNOHANG | __WALL) < 0 && errno == ECHILD;
      _exit(is_done && none ? 0 : 1);
    }
    int status = -1;
    CHECK(waitpid(guard, &status, 0) == guard);
    CHECK(status == 0);
  }
}

}  // namespace
