// Chooses the clock, and determines its rate and its offset from UTC.
//
// The time stamp counter is used if the processor reports it as invariant and the kernel has not
// marked it as unstable (its clocksource is then hpet or acpi_pm). Sources of its frequency, best
// first: CPUID leaf 0x15 (crystal), the hypervisor's leaf 0x40000010, a measurement against
// CLOCK_MONOTONIC_RAW for 2 ms while start creates its files (about 20 ppm; readers improve it from
// the clock pairs in the packet headers). Rejected: a second of calibration, which would delay the
// program's start.
//
// A thread that has disabled the counter (PR_SET_TSC) gets SIGSEGV from the vDSO's clock_gettime,
// too. Then the clock is read by system calls.
#include <fcntl.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "record/host/posix/state.h"

namespace skein::record {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;

uint64_t read_clock(clockid_t clock) {
  timespec t;
  clock_gettime(clock, &t);
  return static_cast<uint64_t>(t.tv_sec) * kSecond + static_cast<uint64_t>(t.tv_nsec);
}

uint64_t read_by_call(clockid_t clock) {
  timespec t = {};
  syscall(SYS_clock_gettime, clock, &t);
  return static_cast<uint64_t>(t.tv_sec) * kSecond + static_cast<uint64_t>(t.tv_nsec);
}

uint64_t read_monotonic() { return read_clock(CLOCK_MONOTONIC); }
uint64_t call_monotonic() { return read_by_call(CLOCK_MONOTONIC); }

// True if this thread may not read the time stamp counter.
bool counter_is_disabled() {
  int mode = 0;
  return prctl(PR_GET_TSC, &mode) == 0 && mode == PR_TSC_SIGSEGV;
}

#if defined(__x86_64__) || defined(__i386__)
bool kernel_distrusts_counter() {
  char name[32] = {};
  const int fd = open("/sys/devices/system/clocksource/clocksource0/current_clocksource",
                      O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const ssize_t n = read(fd, name, sizeof name - 1);
  close(fd);
  return n > 0 && (strncmp(name, "hpet", 4) == 0 || strncmp(name, "acpi_pm", 7) == 0 ||
                   strncmp(name, "jiffies", 7) == 0);
}
#endif

bool counter_is_invariant() {
#if defined(__x86_64__) || defined(__i386__)
  unsigned a, b, c, d;
  if (!__get_cpuid(0x80000007, &a, &b, &c, &d)) return false;
  return (d & (1u << 8)) != 0 && !kernel_distrusts_counter();
#elif defined(__aarch64__)
  return true;
#else
  return false;
#endif
}

// The rate reported by the processor or the hypervisor; 0: none.
uint64_t stated_hertz() {
#if defined(__x86_64__) || defined(__i386__)
  unsigned a, b, c, d;
  if (__get_cpuid(0x15, &a, &b, &c, &d) && a != 0 && b != 0 && c != 0) return uint64_t{c} * b / a;
  if (__get_cpuid(1, &a, &b, &c, &d) && (c & (1u << 31)) != 0) {
    __cpuid(0x40000000, a, b, c, d);
    if (a >= 0x40000010) {
      __cpuid(0x40000010, a, b, c, d);
      if (a > 100'000) return uint64_t{a} * 1000;  // kHz
    }
  }
  return 0;
#elif defined(__aarch64__)
  uint64_t hertz;
  asm volatile("mrs %0, cntfrq_el0" : "=r"(hertz));
  return hertz << format::kTickShift;  // as read_tsc counts
#else
  return 0;
#endif
}

struct Reading {
  uint64_t count, ns, bracket;
};

// Reads the counter and the clock at the same moment: the closest of several attempts.
Reading read_both(clockid_t clock) {
  Reading best = {0, 0, UINT64_MAX};
  for (int i = 0; i < 8; ++i) {
    const uint64_t before = read_tsc();
    const uint64_t ns = read_clock(clock);
    const uint64_t after = read_tsc();
    if (after - before < best.bracket) best = {before + (after - before) / 2, ns, after - before};
  }
  return best;
}

uint64_t ticks_of(uint64_t hertz) {
  const uint64_t half = uint64_t{1} << (format::kTickShift - 1);
  return (hertz + half) >> format::kTickShift;
}

// Reads the three clocks at the same moment.
void read_together(ClockInfo& info) {
  info.bracket_ns = UINT64_MAX;
  const auto read = info.counter == call_monotonic ? read_by_call : read_clock;
  for (int i = 0; i < 8; ++i) {
    const uint64_t before = read(CLOCK_MONOTONIC);
    const uint64_t ticks = read_ticks(info.counter);
    const uint64_t realtime = read(CLOCK_REALTIME);
    const uint64_t after = read(CLOCK_MONOTONIC);
    if (after - before >= info.bracket_ns) continue;
    info.bracket_ns = after - before;
    info.ticks = ticks;
    info.monotonic_ns = before + (after - before) / 2;
    info.realtime_ns = realtime;
  }
}

}  // namespace

uint64_t monotonic_ns() { return read_monotonic(); }
uint64_t monotonic_ns(const ClockInfo& clock) {
  return clock.counter == call_monotonic ? call_monotonic() : read_monotonic();
}

// By system calls: the C library's clock_gettime may use the vDSO, which reads a counter that the
// program may have disabled. getrusage also has times, but without the current tick.
bool read_cpu_time(const Writer& writer, format::CpuTime& used) {
  const auto* files = static_cast<const TraceFiles*>(writer.trace);
  if (files == nullptr || files->all_at_start) return false;  // null: a signal handler has forked
  ErrnoGuard errno_guard;
  timespec cpu = {};
  rusage counts = {};
  if (syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &cpu) != 0 ||
      syscall(SYS_getrusage, RUSAGE_THREAD, &counts) != 0)
    return false;
  used.ns = static_cast<uint64_t>(cpu.tv_sec) * kSecond + static_cast<uint64_t>(cpu.tv_nsec);
  used.blocked = static_cast<uint32_t>(counts.ru_nvcsw);
  used.preempted = static_cast<uint32_t>(counts.ru_nivcsw);
  return true;
}

ClockInfo choose_clock(const Options& options) {
  ClockInfo info;
  const bool by_call = options.clock_by_call || counter_is_disabled();
  if (by_call || options.monotonic || !counter_is_invariant()) {
    info.counter = by_call ? call_monotonic : read_monotonic;
    info.ticks_per_second = ticks_of(kSecond);
  } else if (const uint64_t hertz = stated_hertz(); hertz != 0) {
    info.ticks_per_second = ticks_of(hertz);
  } else {
    const Reading begin = read_both(CLOCK_MONOTONIC_RAW);
    info.begin_count = begin.count;
    info.begin_ns = begin.ns;
  }
  read_together(info);
  return info;
}

void finish_clock(ClockInfo& info) {
  if (info.ticks_per_second != 0) return;
  constexpr uint64_t kLongEnough = 2'000'000;
  while (read_clock(CLOCK_MONOTONIC_RAW) < info.begin_ns + kLongEnough) {
  }
  const Reading end = read_both(CLOCK_MONOTONIC_RAW);
  const auto counts = static_cast<double>(end.count - info.begin_count);
  const auto ns = static_cast<double>(end.ns - info.begin_ns);
  info.ticks_per_second =
      ticks_of(static_cast<uint64_t>(counts * static_cast<double>(kSecond) / ns));
}

}  // namespace skein::record
