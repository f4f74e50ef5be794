// Ten thousand short-lived threads need no more streams, files and memory than the largest number
// of them that is alive at once. Rows of the task table are freed once and reused.
#include <pthread.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include <atomic>
#include <map>
#include <thread>
#include <vector>

#include "tests/recorder/check.h"
#include "tests/recorder/scratch.h"

namespace {

using namespace skein::test;

void record_a_little(unsigned number) {
  skein_task task = {};
  const uint64_t previous = skein_create_running(&task, SKEIN_KIND_task, "short", nullptr);
  skein_counter_set(1, number);
  skein_resolve(&task, previous);
}

long resident_kb() {
  long pages = 0;
  if (FILE* statm = fopen("/proc/self/statm", "r"); statm != nullptr) {
    if (fscanf(statm, "%*d %ld", &pages) != 1) pages = 0;
    fclose(statm);
  }
  return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

// True if the memory of ended threads stays in use even if they record nothing: qemu-user loses 0.3
// MB each.
bool threads_lose_memory() {
  const auto run = [](unsigned count) {
    for (unsigned i = 0; i < count; ++i) std::thread([] {}).join();
    return resident_kb();
  };
  const long before = run(10);
  return run(200) - before > 10'000;
}

void many_short_threads(const std::string& directory) {
  constexpr unsigned kThreads = 10'000, kAtOnce = 8;
  const bool unmeasurable = kAddressSanitizer || threads_lose_memory();
  SKEIN_CHECK(start_trace_at(directory) == 0, "start");
  long resident = 0;
  uint64_t bytes = 0;
  skein_status status;
  for (unsigned made = 0; made < kThreads; made += kAtOnce) {
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < kAtOnce; ++i) threads.emplace_back(record_a_little, made + i);
    for (std::thread& thread : threads) thread.join();
    if (made != kThreads / 10) continue;
    skein_get_status(&status);
    resident = resident_kb();
    bytes = status.bytes;
  }
  skein_get_status(&status);
  const long grown = resident_kb() - resident;
  printf("%u streams, %llu bytes of files, %ld kB more than after a tenth of the threads\n",
         status.streams, static_cast<unsigned long long>(status.bytes), grown);
  // join() may return before the thread's stream is free, so one or two more may be in use.
  SKEIN_CHECK(status.streams <= 2 * kAtOnce, "%u streams", status.streams);
  // Each stream may still add chunks to its ring, up to its size.
  SKEIN_CHECK(status.bytes <= bytes + (uint64_t{status.streams} << 20), "files grow");
  // The address sanitizer delays the reuse of freed memory.
  if (unmeasurable && !kAddressSanitizer) skip("the memory of ended threads stays in use here");
  SKEIN_CHECK(unmeasurable || grown < 20'000, "%ld kB", grown);
  SKEIN_CHECK(status.lost == 0, "%llu lost", static_cast<unsigned long long>(status.lost));
  skein_stop();

  const Trace trace = read_good_trace(directory);
  size_t counters = 0;
  for (const Stream& stream : trace.streams) {
    uint64_t at_work = 0;
    for (const Event& event : stream.events()) {
      if (event.is("executor")) {
        SKEIN_CHECK(at_work == 0, "stream %llu: executor before the other's end",
                    static_cast<unsigned long long>(stream.instance));
        at_work = event.a;
      } else if (event.is("executor_end")) {
        SKEIN_CHECK(at_work == event.a, "the end of another executor");
        at_work = 0;
      } else if (event.is("counter_set")) {
        ++counters;
      }
    }
  }
  SKEIN_CHECK(counters == kThreads, "%zu of %u counters", counters, kThreads);
  for (const auto& row : trace.rows)
    SKEIN_CHECK(row.state == skein::format::TaskState::kFree, "a task is left in the table");
}

// Tasks are created on one thread and end on another: their rows return to the table.
void rows_cross_threads(const std::string& directory) {
  SKEIN_CHECK(start_trace_at(directory, {.tasks = 1024}) == 0, "start");
  for (unsigned round = 0; round < 200; ++round) {
    std::vector<skein_task> tasks(100);
    std::thread([&] {
      for (skein_task& task : tasks) skein_create(&task, SKEIN_KIND_task, "row", nullptr);
    }).join();
    std::thread([&] {
      for (skein_task& task : tasks) skein_resolve(&task, 0);
    }).join();
  }
  skein_stop();
  const Trace trace = read_good_trace(directory);
  SKEIN_CHECK(trace.table.lost[skein::format::kLoss_untracked] == 0, "rows are lost");
  SKEIN_CHECK(trace.count("resolve") == 20'000, "%zu", trace.count("resolve"));
}

// More tasks than rows: all events are recorded, and the untracked tasks counted.
void table_full(const std::string& directory) {
  SKEIN_CHECK(start_trace_at(directory, {.log = true, .tasks = 256}) == 0, "start");
  std::vector<skein_task> tasks(1000);
  for (skein_task& task : tasks) skein_create(&task, SKEIN_KIND_task, "many", nullptr);
  for (skein_task& task : tasks) skein_resolve(&task, skein_resume(&task));
  skein_task after = {};
  skein_create(&after, SKEIN_KIND_task, "after", nullptr);
  SKEIN_CHECK(after.row != 0, "rows that were freed are to be had again");
  skein_stop();
  const Trace trace = read_good_trace(directory);
  SKEIN_CHECK(trace.count("create") == 1001, "%zu", trace.count("create"));
  SKEIN_CHECK(trace.count("resolve") == 1000, "%zu", trace.count("resolve"));
  const uint64_t untracked = trace.table.lost[skein::format::kLoss_untracked];
  SKEIN_CHECK(untracked >= 744 && untracked <= 750, "%llu untracked",
              static_cast<unsigned long long>(untracked));
}

// Ending a copy of a task must not free its row twice.
void ended_twice(const std::string& directory) {
  SKEIN_CHECK(start_trace_at(directory) == 0, "start");
  skein_task first = {};
  skein_create(&first, SKEIN_KIND_task, "first", nullptr);
  skein_task copy = first;
  skein_resolve(&first, 0);
  skein_task other = {};
  skein_create(&other, SKEIN_KIND_task, "other", nullptr);
  skein_cancel(&copy);
  std::vector<skein_task> more(200);
  for (skein_task& task : more) skein_create(&task, SKEIN_KIND_task, "more", nullptr);
  skein_stop();
  const Trace trace = read_good_trace(directory);
  size_t live = 0;
  bool other_is_there = false;
  for (const auto& row : trace.rows) {
    live += row.state != skein::format::TaskState::kFree ? 1 : 0;
    other_is_there = other_is_there || row.id == other.id;
  }
  SKEIN_CHECK(other_is_there, "its row was given away");
  SKEIN_CHECK(live == 201, "%zu live tasks", live);
}

// The readings before and after a computation, and a sleep, bound what the thread used.
void cpu_times(const std::string& directory) {
  SKEIN_CHECK(start_trace_at(directory) == 0, "start");
  const auto cpu = [] {
    timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(t.tv_nsec);
  };
  constexpr uint64_t kWork = 30'000'000;
  uint64_t used = 0;
  std::thread([&] {
    skein_counter_set(1, 1);
    while (cpu() < kWork) {
    }
    skein_counter_set(1, 2);
    usleep(static_cast<unsigned>(kWork / 1000));
    skein_counter_set(1, 3);
    used = cpu();
  }).join();
  skein_stop();
  const Trace trace = read_good_trace(directory);
  std::map<uint64_t, Event> readings;  // by the counter after it: a, the time; b, how often blocked
  for (const Stream& stream : trace.streams)
    for (const Packet& packet : stream.packets)
      for (const Event& event : packet.events)
        for (const Event& reading : packet.cpu_times)
          if (event.is("counter_set") && reading.ticks <= event.ticks) readings[event.b] = reading;
  SKEIN_CHECK(readings[1].a > 0 && readings[1].a < kWork, "before the work");
  SKEIN_CHECK(readings[2].a >= kWork, "after the work");
  SKEIN_CHECK(readings[3].a >= readings[2].a && readings[3].a <= used, "after the sleep");
  SKEIN_CHECK(readings[3].b > readings[2].b, "the sleep");
}

// Prints the cost of a thread's first event and of start; checks nothing.
void print_costs(const std::string& directory) {
  const auto now = [] {
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return static_cast<double>(t.tv_sec) * 1e6 + static_cast<double>(t.tv_nsec) / 1e3;
  };
  const double before = now();
  start_trace_at(directory, {.tasks = 0});
  const double started = now();
  double first[12];
  for (double& each : first)
    std::thread([&] {
      const double begin = now();
      skein_counter_set(1, 1);
      each = now() - begin;
    }).join();
  printf("start %.0f us; first events of threads, us:", started - before);
  for (const double each : first) printf(" %.1f", each);
  printf("\n");
}

}  // namespace

int main() {
  Scratch scratch("threads");
  SKEIN_CHECK(good(in_child([&] { many_short_threads(scratch / "many"); })), "many threads");
  SKEIN_CHECK(good(in_child([&] { rows_cross_threads(scratch / "rows"); })), "rows");
  SKEIN_CHECK(good(in_child([&] { table_full(scratch / "full"); })), "table full");
  SKEIN_CHECK(good(in_child([&] { ended_twice(scratch / "twice"); })), "ended twice");
  SKEIN_CHECK(good(in_child([&] { cpu_times(scratch / "cpu"); })), "CPU times");
  SKEIN_CHECK(good(in_child([&] { print_costs(scratch / "costs"); })), "costs");
  return verdict();
}
