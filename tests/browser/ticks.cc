// A traced program that does what it is told: for each line on its standard input a task that is
// labelled with the line, and ends. Says "done" when it is recorded. See serve_test.mjs.
#include <skein/skein.h>
#include <stdio.h>
#include <string.h>

static const skein_source here = {"ticks.cc", "tick", 20, 1};

int main() {
  char line[256];
  while (fgets(line, sizeof line, stdin)) {
    line[strcspn(line, "\n")] = '\0';
    skein_task task = {};
    const uint64_t back = skein_create_running(&task, SKEIN_KIND_task, "tick", &here);
    skein_label_text(&task, line, strlen(line));
    skein_resolve(&task, back);
    puts("done");
    fflush(stdout);
  }
}
