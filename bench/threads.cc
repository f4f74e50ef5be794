// One-time costs: startup, a thread's first event, a thread's lifetime, memory per thread.
//
//   bench_threads DIRECTORY [rounds]
#include <dirent.h>
#include <skein/skein.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/rounds.h"

namespace {

using namespace skein::bench;

void line(const char* name, const std::vector<double>& samples) {
  printf("%s\t1\t%.1f\t%.1f\n", name, best_of(samples), median_of(samples));
}

double in_thread(void* (*body)(void*), void* argument) {
  const double begin = wall_ns();
  pthread_t thread;
  pthread_create(&thread, nullptr, body, argument);
  pthread_join(thread, nullptr);
  return wall_ns() - begin;
}

void* empty(void*) { return nullptr; }

// Stores the wall time of the thread's first event.
void* first_event(void* result) {
  const double begin = wall_ns();
  if (skein_enabled()) skein_notify(1, 1);
  *static_cast<double*>(result) = wall_ns() - begin;
  return nullptr;
}

// Threads that are live at the same time: each emits an event and then waits for all others.
struct Crowd {
  pthread_barrier_t barrier;
  std::vector<double> first;
};
struct Member {
  Crowd* crowd;
  size_t index;
};
void* stay(void* argument) {
  auto* member = static_cast<Member*>(argument);
  first_event(&member->crowd->first[member->index]);
  pthread_barrier_wait(&member->crowd->barrier);
  return nullptr;
}

// Runs `count` concurrent threads, at most the number of prepared streams; adds the time of each
// first event.
void first_events(size_t count, std::vector<double>& samples) {
  Crowd crowd;
  crowd.first.resize(count);
  pthread_barrier_init(&crowd.barrier, nullptr, static_cast<unsigned>(count));
  std::vector<Member> members;
  for (size_t i = 0; i < count; ++i) members.push_back({&crowd, i});
  std::vector<pthread_t> threads(count);
  for (size_t i = 0; i < count; ++i) pthread_create(&threads[i], nullptr, stay, &members[i]);
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
  pthread_barrier_destroy(&crowd.barrier);
  samples.insert(samples.end(), crowd.first.begin(), crowd.first.end());
}

uint64_t resident() {
  unsigned long long size = 0, pages = 0;
  if (FILE* file = fopen("/proc/self/statm", "r")) {
    if (fscanf(file, "%llu %llu", &size, &pages) != 2) pages = 0;
    fclose(file);
  }
  return pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

uint64_t disk_use(const std::string& directory) {
  uint64_t bytes = 0;
  if (DIR* dir = opendir(directory.c_str())) {
    while (const dirent* entry = readdir(dir)) {
      struct stat facts;
      if (stat((directory + "/" + entry->d_name).c_str(), &facts) == 0 && S_ISREG(facts.st_mode))
        bytes += static_cast<uint64_t>(facts.st_blocks) * 512;
    }
    closedir(dir);
  }
  return bytes;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fputs("usage: bench_threads DIRECTORY [rounds]\n", stderr);
    return 2;
  }
  const size_t rounds = argc > 2 ? strtoul(argv[2], nullptr, 10) : 301;
  std::vector<double> start;
  std::vector<double> start_cpu;
  std::vector<double> prepared;
  constexpr size_t kPrepared = 4;
  for (int i = 0; i < 20; ++i) {  // each a separate trace
    const std::string directory = std::string(argv[1]) + "." + std::to_string(i);
    skein_options options = {};
    options.directory = directory.c_str();
    const double begin = wall_ns();
    const double begin_cpu = cpu_ns();
    if (const int error = skein_start(&options); error != 0) {
      fprintf(stderr, "skein: %s: %s\n", directory.c_str(), strerror(error));
      return 1;
    }
    start.push_back(wall_ns() - begin);
    start_cpu.push_back(cpu_ns() - begin_cpu);
    if (i + 1 == 20) break;
    first_events(kPrepared, prepared);
    skein_stop();
  }
  line("skein_start, wall", start);
  line("skein_start, CPU", start_cpu);

  // Prepared streams that have not been used.
  line("first event, prepared stream, wall", prepared);
  double latency = 0;
  first_event(&latency);  // the main thread's: one of the four

  std::vector<double> reused;
  std::vector<double> with;
  std::vector<double> without;
  for (size_t i = 0; i < rounds; ++i) {
    without.push_back(in_thread(empty, nullptr));
    with.push_back(in_thread(first_event, &latency));
    reused.push_back(latency);
  }
  line("first event, reused stream, wall", reused);
  line("thread without events, wall", without);
  line("thread with one event, wall", with);

  constexpr size_t kCrowd = 64;
  Crowd crowd;
  crowd.first.resize(kCrowd);
  pthread_barrier_init(&crowd.barrier, nullptr, kCrowd + 1);
  std::vector<Member> members;
  for (size_t i = 0; i < kCrowd; ++i) members.push_back({&crowd, i});
  const uint64_t memory = resident();
  const std::string last = std::string(argv[1]) + ".19";
  const uint64_t disk = disk_use(last);
  std::vector<pthread_t> threads(kCrowd);
  for (size_t i = 0; i < kCrowd; ++i) pthread_create(&threads[i], nullptr, stay, &members[i]);
  pthread_barrier_wait(&crowd.barrier);
  const uint64_t memory_after = resident();
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
  line("first event, new stream, wall",
       std::vector<double>(crowd.first.begin() + 4, crowd.first.end()));
  printf("memory a thread, kB\t%zu\t%.1f\t%.1f\n", kCrowd,
         static_cast<double>(memory_after - memory) / 1024 / kCrowd,
         static_cast<double>(disk_use(last) - disk) / 1024 / kCrowd);
}
