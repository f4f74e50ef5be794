// A program that records by hand; see record_test.py for what its argument means. "exec" makes it
// become itself again, with argument 0.
#include <signal.h>
#include <skein/skein.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const skein_source here = {__FILE__, "main", __LINE__, 1};
static volatile sig_atomic_t stop = 0;

static void one_task() {
  if (skein_on() == 0) return;
  skein_task task = {};
  const uint64_t back = skein_create_running(&task, SKEIN_KIND_task, "one", &here);
  skein_resolve(&task, back);
}

int main(int argc, char** argv) {
  if (argc != 2) return 99;
  one_task();
  if (strcmp(argv[1], "kill") == 0) raise(SIGKILL);
  if (strcmp(argv[1], "exec") == 0) {
    execl(argv[0], argv[0], "0", static_cast<char*>(nullptr));
    return 98;
  }
  if (strcmp(argv[1], "wait") != 0) return atoi(argv[1]);
  signal(SIGTERM, [](int) { stop = 1; });
  if (FILE* ready = fopen("ready", "w"); ready != nullptr) fclose(ready);
  while (stop == 0) {
    one_task();
    const timespec pause = {0, 1'000'000};
    nanosleep(&pause, nullptr);
  }
  return 0;
}
