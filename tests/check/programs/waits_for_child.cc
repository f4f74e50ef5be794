// Waits for a child that does not end.
#include <sys/wait.h>
#include <unistd.h>

[[gnu::noinline]] static void pause_in_child() {
  for (;;) pause();  // HANGS pause_in_child
}

[[gnu::noinline]] static void wait_for_child() {
  wait(nullptr);  // HANGS wait_for_child
}

int main() {
  if (fork() == 0) pause_in_child();
  wait_for_child();
}
