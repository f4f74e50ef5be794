// Three tasks, each on its own thread: two compute on the same CPU for 300 ms of CPU time each, one
// sleeps 20 times for 10 ms. Prints the number of that CPU.
#include <sched.h>
#include <skein/skein.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <thread>

namespace {

int cpu = 0;

void pin() {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  sched_setaffinity(0, sizeof set, &set);
}

long used_ms() {
  timespec used = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return used.tv_sec * 1000 + used.tv_nsec / 1'000'000;
}

void compute(const char* name) {
  prctl(PR_SET_NAME, name);
  pin();
  skein_task task = {};
  const uint64_t previous = skein_create_running(&task, SKEIN_KIND_task, name, nullptr);
  const long begin = used_ms();
  while (used_ms() - begin < 300) {
  }
  skein_resolve(&task, previous);
}

void sleep_often() {
  prctl(PR_SET_NAME, "sleeper");
  skein_task task = {};
  const uint64_t previous = skein_create_running(&task, SKEIN_KIND_task, "sleeper", nullptr);
  for (int i = 0; i < 20; i++) usleep(10'000);
  skein_resolve(&task, previous);
}

}  // namespace

int main() {
  cpu_set_t allowed;
  sched_getaffinity(0, sizeof allowed, &allowed);
  while (!CPU_ISSET(cpu, &allowed)) cpu++;
  std::printf("%d\n", cpu);
  std::thread first(compute, "first"), second(compute, "second"), third(sleep_often);
  first.join();
  second.join();
  third.join();
}
