// Starts children: one in its process group, one that becomes a daemon, one that ignores SIGTERM; then waits.
// children EXIT: ends with this code instead.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

[[gnu::noinline]] static void wait_in_child() {
  for (;;) pause();  // HANGS wait_in_child
}

int main(int argc, char** argv) {
  if (fork() == 0) wait_in_child();
  if (fork() == 0) {
    setsid();
    if (fork() != 0) _exit(0);
    signal(SIGHUP, SIG_IGN);
    wait_in_child();
  }
  if (fork() == 0) {
    signal(SIGTERM, SIG_IGN);
    wait_in_child();
  }
  puts("started");
  fflush(stdout);
  if (argc > 1) return atoi(argv[1]);
  for (;;) pause();
}
