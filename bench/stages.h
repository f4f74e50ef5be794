// Common to the benchmarks of reading and display: CPU time, loading a trace or exiting with a
// message, warming up memory.
//
//   warm_memory(size_t{800} << 20);
//   Trace trace = trace_or_exit(argv[1]);
//   const double ms = median_ms(9, [&] { draw(...); });
//
// CPU time is that of the whole process: user and kernel, all threads.
#pragma once
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "base/disk_files.h"
#include "bench/rounds.h"
#include "trace/read/reader.h"

namespace skein::bench {

inline double process_ms() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) / 1e6;
}

template <typename Work>
double milliseconds(const Work& work) {
  const double begin = process_ms();
  work();
  return process_ms() - begin;
}

// `prepare` is not timed.
template <typename Prepare, typename Work>
double median_ms(int rounds, const Prepare& prepare, const Work& work) {
  std::vector<double> times;
  for (int i = 0; i < rounds; i++) {
    prepare();
    times.push_back(milliseconds(work));
  }
  return median_of(times);
}
template <typename Work>
double median_ms(int rounds, const Work& work) {
  return median_ms(
      rounds, [] {}, work);
}

inline Trace trace_or_exit(const char* path) {
  DiskFiles disk;
  Result<Trace> trace = read_trace(disk, path);
  if (!trace) {
    fprintf(stderr, "skein: %s\n", trace.error().message().c_str());
    exit(2);
  }
  return std::move(*trace);
}

// A virtual machine's host reclaims free memory, and getting it back costs 40 times as much as
// clearing it (0.5 GB/s instead of the usual 20). Another process therefore touches and frees
// `bytes` before the measurement, so that this process's peak memory is unaffected.
inline void warm_memory(size_t bytes) {
  const pid_t child = fork();
  if (child == 0) {
    void* const memory =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) _exit(1);
    madvise(memory, bytes, MADV_HUGEPAGE);
    for (size_t at = 0; at < bytes; at += 4096) static_cast<volatile char*>(memory)[at] = 1;
    _exit(0);
  }
  if (child > 0) waitpid(child, nullptr, 0);
}

// Peak memory of this process, including mapped files.
inline double peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024;
}

}  // namespace skein::bench
