// A program with known tasks, and a thread that fills its ring at full speed until it is killed.
// See live_test.py.
#include <pthread.h>
#include <skein/skein.h>
#include <stdio.h>
#include <unistd.h>

static const skein_source created = {"dir/program.cc", "make_session", 10, 1};
static const skein_source awaited = {"dir/program.cc", "wait_for_timer", 20, 1};

static void* fill(void*) {
  for (;;) {
    skein_task task = {};
    const uint64_t previous = skein_create_running(&task, SKEIN_KIND_task, "busy", &created);
    skein_label_text(&task, "some text", 9);
    skein_resolve(&task, previous);
  }
}

int main() {
  skein_task session = {}, timer = {}, mutex = {};
  skein_create_labelled(&session, SKEIN_KIND_coroutine, "session", &created,
                        skein_string("evil \x1b[31m\"label\""));
  skein_resource(&mutex, SKEIN_KIND_mutex, "lock", 1, &created);
  const uint64_t previous = skein_resume(&session);
  skein_create(&timer, SKEIN_KIND_timer, "timer", &created);
  skein_acquire(&mutex, 0);
  skein_should_resolve(&session);
  skein_suspend(&session, timer.id, &awaited, previous);
  // A waiting and a running task each become another task, which has only been created.
  skein_task waiting = {}, its_heir = {}, running = {}, heir = {};
  skein_create(&its_heir, SKEIN_KIND_promise, "its_heir", &created);
  skein_create(&heir, SKEIN_KIND_promise, "heir", &created);
  const uint64_t before = skein_create_running(&waiting, SKEIN_KIND_task, "waiting", &created);
  skein_suspend(&waiting, timer.id, &awaited, before);
  skein_become(&waiting, &its_heir);
  skein_create_running(&running, SKEIN_KIND_task, "running", &created);
  skein_become(&running, &heir);
  printf("%llu %llu %llu\n", static_cast<unsigned long long>(session.id),
         static_cast<unsigned long long>(timer.id), static_cast<unsigned long long>(mutex.id));
  fflush(stdout);
  pthread_t thread;
  if (pthread_create(&thread, nullptr, fill, nullptr) != 0) return 1;
  for (;;) pause();
}
