// A program that does what it is told, so that a test knows what is in its trace: for each line of
// standard input a task of that name, which ends at once; then says the line. It ends with its input.
// What looks at running programs is tested with it: serve, in a browser and without; the window.
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
