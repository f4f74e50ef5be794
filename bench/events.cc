// ns per event: skein's events by kind, the floor, and LTTng-UST if its library was found at build
// time.
//
//   bench_events TRACE_DIRECTORY [rounds]      (bench/run starts the LTTng session first)
//
// "no row" is an event that does not access the live task table; the difference from "resume" and
// "suspend" is the cost of the table.
#include <fcntl.h>
#include <skein/skein.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <memory>

#include "bench/rounds.h"
#ifdef SKEIN_BENCH_LTTNG
#include "bench/lttng_provider.h"
#endif

namespace {

using namespace skein::bench;

constexpr size_t kItems = 20'000;

uint64_t tsc() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  return static_cast<uint64_t>(wall_ns());
#endif
}

// Maps a file of the size of a ring and touches its pages.
char* map_file(const std::string& path, size_t size) {
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600);
  if (fd < 0 || posix_fallocate(fd, 0, static_cast<off_t>(size)) != 0) {
    perror(path.c_str());
    exit(1);
  }
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  unlink(path.c_str());
  if (memory == MAP_FAILED) exit(1);
  memset(memory, 1, size);
  return static_cast<char*>(memory);
}

struct Fixture {
  char* floor = nullptr;
  size_t at = 0;
  skein_task task = {};
  uint32_t text = 0;
};

constexpr size_t kFloorSize = 1 << 20;
constexpr skein_source kHere = {__FILE__, "bench", 1, 1};

// Adds the lower bounds of any recorder. The first candidate owns the fixture that all of them use.
void add_floors(Rounds& rounds, const std::shared_ptr<Fixture>& fixture) {
  Fixture& f = *fixture;
  rounds.add("floor: time stamp", kItems, [fixture](size_t n) {
    for (size_t i = 0; i < n; ++i) keep(tsc());
  });
  rounds.add("floor: time stamp + 16-byte store", kItems, [&f](size_t n) {
    char* at = f.floor + f.at;
    char* end = f.floor + kFloorSize - 64;
    for (size_t i = 0; i < n; ++i) {
      if (at > end) at = f.floor;
      const uint64_t event[2] = {tsc(), i};
      memcpy(at, event, sizeof event);
      keep(at);
      at += sizeof event;
    }
    f.at = static_cast<size_t>(at - f.floor);
  });
}

// One event per item. `f` outlives the candidates.
void add_single_events(Rounds& rounds, Fixture& f) {
  rounds.add("event, no row: notify", kItems, [](size_t n) {
    for (size_t i = 0; i < n; ++i)
      if (skein_enabled()) skein_notify(i & 0xfffff, 1);
  });
  rounds.add("event, no row: counter_add", kItems, [&f](size_t n) {
    for (size_t i = 0; i < n; ++i)
      if (skein_enabled()) skein_counter_add(f.text, static_cast<int64_t>(i & 0xffff));
  });
  rounds.add("event, no row: ready at a place", kItems, [&f](size_t n) {
    skein_resume(&f.task);
    for (size_t i = 0; i < n; ++i)
      if (skein_enabled()) skein_ready(&f.task, i & 0xfffff, &kHere);
    skein_suspend(&f.task, 0, &kHere, 0);
  });
  rounds.add("event, row: resume, suspend", kItems, [&f](size_t n) {
    for (size_t i = 0; i < n; i += 2) {
      if (skein_enabled()) skein_resume(&f.task);
      if (skein_enabled()) skein_suspend(&f.task, i & 0xfffff, &kHere, 0);
    }
  });
  rounds.add("event, row: resume_by", kItems, [&f](size_t n) {
    for (size_t i = 0; i < n; ++i)
      if (skein_enabled()) skein_resume_by(&f.task, i & 0xfffff);
    skein_suspend(&f.task, 0, &kHere, 0);
  });
  rounds.add("event, row: create, cancel", kItems, [&f](size_t n) {
    for (size_t i = 0; i < n; i += 2) {
      skein_task task = {};
      if (skein_enabled()) skein_create(&task, SKEIN_KIND_task, "bench", &kHere);
      if (skein_enabled()) skein_cancel(&task);
    }
    keep(&f);
  });
}

// Two events with one time stamp.
void add_double_events(Rounds& rounds, Fixture& f) {
  rounds.add("two events: create + label, and cancel", kItems, [&f](size_t n) {
    for (size_t i = 0; i < n; i += 2) {
      skein_task task = {};
      if (skein_enabled()) skein_create_labelled(&task, SKEIN_KIND_task, "bench", &kHere, f.text);
      if (skein_enabled()) skein_cancel(&task);
    }
  });
  rounds.add("two events: notify at a place", kItems / 2, [](size_t n) {
    for (size_t i = 0; i < n; ++i)
      if (skein_enabled()) skein_notify_at(i & 0xfffff, 1, &kHere);
  });
  rounds.add("two events: suspend + switch", kItems / 2, [&f](size_t n) {
    for (size_t i = 0; i < n; ++i)
      if (skein_enabled()) skein_suspend(&f.task, i & 0xfffff, &kHere, f.task.id);
    skein_suspend(&f.task, 0, &kHere, 0);
  });
  rounds.add("two events: create_running, resolve + switch", kItems / 2, [&f](size_t n) {
    skein_resume(&f.task);
    for (size_t i = 0; i < n; i += 2) {
      skein_task task = {};
      uint64_t previous = 0;
      if (skein_enabled()) previous = skein_create_running(&task, SKEIN_KIND_task, "bench", &kHere);
      if (skein_enabled()) skein_resolve(&task, previous);
    }
    skein_suspend(&f.task, 0, &kHere, 0);
  });
#ifdef SKEIN_BENCH_LTTNG
  rounds.add("LTTng-UST: tracepoint of two u64", kItems, [](size_t n) {
    for (size_t i = 0; i < n; ++i) lttng_ust_tracepoint(skein_bench, two, i & 0xfffff, i);
  });
#endif
}

std::vector<Candidate> make(const std::string& scratch, unsigned thread) {
  auto fixture = std::make_shared<Fixture>();
  Fixture& f = *fixture;
  f.floor = map_file(scratch + "." + std::to_string(thread), kFloorSize);
  f.text = skein_string("bench");
  skein_create(&f.task, SKEIN_KIND_task, "bench", &kHere);

  Rounds rounds(0);
  add_floors(rounds, fixture);
  add_single_events(rounds, f);
  add_double_events(rounds, f);
  return rounds.take();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fputs("usage: bench_events TRACE_DIRECTORY [rounds]\n", stderr);
    return 2;
  }
  const std::string directory = argv[1];
  const size_t rounds = argc > 2 ? strtoul(argv[2], nullptr, 10) : 301;
  skein_options options = {};
  options.directory = directory.c_str();
  if (const int error = skein_start(&options); error != 0) {
    fprintf(stderr, "skein: %s: %s\n", directory.c_str(), strerror(error));
    return 1;
  }
  for (unsigned threads : {1u, 2u})
    Rounds::run_threads(threads, rounds,
                        [&](unsigned t) { return make(directory + "/.floor", t); });
  skein_status status;
  skein_get_status(&status);
  printf("# lost\t%llu\n", static_cast<unsigned long long>(status.lost));
}
