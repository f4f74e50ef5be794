// A program whose trace a test controls: for each line of standard input it creates a task with
// that label, which ends at once, then prints the line. It ends at the end of its input. Tests of
// tools for running programs use it: serve, with and without a browser, and the window.
#include <skein/skein.h>
#include <stdio.h>
#include <string.h>

static const skein_source created = {"steps.cc", "step", 10, 1};

int main() {
  skein_task session = {};
  skein_create_labelled(&session, SKEIN_KIND_coroutine, "session", &created,
                        skein_string("the session"));
  char line[256];
  while (fgets(line, sizeof line, stdin)) {
    line[strcspn(line, "\n")] = '\0';
    skein_task task = {};
    const uint64_t previous = skein_create_running(&task, SKEIN_KIND_task, "step", &created);
    skein_label_text(&task, line, strlen(line));
    skein_resolve(&task, previous);
    puts(line);
    fflush(stdout);
  }
}
