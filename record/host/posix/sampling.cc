#include "record/host/posix/sampling.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <initializer_list>
#include <new>

#include "record/core/sample_stacks.h"
#include "record/core/spin.h"
#include "record/host/posix/frame_tables.h"
#include "record/host/posix/open_file.h"
#include "record/host/posix/own_thread.h"
#include "record/host/posix/session.h"
#include "record/host/posix/stack_walk.h"
#include "record/host/posix/state.h"

namespace skein::record {
namespace {

constexpr uint64_t kSecondInNs = 1'000'000'000;
constexpr uint32_t kMostTimers = 4096;
// Descriptors are taken from the program's limit; later threads have timers, which take none.
constexpr rlim_t kShareOfDescriptors = 4;
constexpr rlim_t kMostDescriptors = 512;
constexpr int kNone = -1;

// The timer of a thread. The handler needs none of this.
struct ThreadTimer {
  int tid = 0;
  int descriptor = kNone;  // of the perf event
  int timer = kNone;       // the kernel's number
  uint32_t seen = 0;       // by the last list of threads
};

// Changes under the lock. The handler reads only `start`, which is atomic.
struct Sampling {
  uint32_t wanted = 0;  // the rate, for a child that is recorded too
  int pid = 0;          // whose timers these are
  int signal = 0;       // its handler is installed; 0: none yet
  bool by_timer = false;
  uint32_t descriptors = 0;
  uint32_t used = 0;  // of `timers`
  ThreadTimer* timers = nullptr;
  uint32_t start = 0;  // counts the starts: a thread's timer of an older one is gone
};
Sampling sampling;
SampleStacks* sample_stacks = nullptr;  // atomic; of the running trace

// In a page that is cleared on fork, as the recorder's other locks: a child is not sampled at
// first.
uint32_t& sampling_lock() { return *reinterpret_cast<uint32_t*>(skein_page + 192); }
uint32_t& rate_word() { return *reinterpret_cast<uint32_t*>(skein_page + 256); }
uint32_t& has_thread() { return *reinterpret_cast<uint32_t*>(skein_page + 260); }

struct OfThisThread {
  uint32_t start;      // Sampling::start when this thread made its timer; 0: never
  uint32_t due_start;  // ... of the next field
  uint64_t due;        // CPU time of the next sample
  uint64_t random;     // of the last period
  bool is_in_handler;
};
thread_local constinit OfThisThread this_thread __attribute__((tls_model("initial-exec"))) = {};

uint32_t rate_now() { return __atomic_load_n(&rate_word(), __ATOMIC_ACQUIRE); }
void set_rate(uint32_t rate) { __atomic_store_n(&rate_word(), rate, __ATOMIC_RELEASE); }

// ---- in the handler ----

uint64_t thread_cpu_time() {
  timespec now;
  if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) != 0) return 0;
  return static_cast<uint64_t>(now.tv_sec) * kSecondInNs + static_cast<uint64_t>(now.tv_nsec);
}

// A period in ns, evenly from 3/4 to 5/4 of the mean.
uint64_t random_period(uint64_t mean) {
  uint64_t x = this_thread.random;
  if (x == 0) x = (thread_cpu_time() ^ reinterpret_cast<uintptr_t>(&this_thread) << 8) | 1;
  x ^= x << 13;
  x ^= x >> 7;
  x ^= x << 17;
  this_thread.random = x;
  return mean - mean / 4 + x % (mean / 2 + 1);
}

void count_missed(uint64_t count) {
  const TaskTable* table = now_of(state.table);
  if (count != 0 && table != nullptr && table->header != nullptr)
    __atomic_fetch_add(&table->header->missed_samples, count, __ATOMIC_RELAXED);
}

// Returns the time to the next sample, in ns of CPU time. Counts the periods that passed without
// one. Signals are late, by 0.1 ms in virtual machines: the next period begins when this one was
// due.
uint64_t time_to_next(uint64_t mean) {
  const uint64_t now = thread_cpu_time();
  const uint32_t start = __atomic_load_n(&sampling.start, __ATOMIC_RELAXED);
  const bool is_first = this_thread.due_start != start;
  this_thread.due_start = start;
  uint64_t next = (is_first ? now : this_thread.due) + random_period(mean);
  if (next <= now) {
    const uint64_t missed = (now - next) / mean + 1;
    count_missed(missed);
    next += missed * mean;
  }
  this_thread.due = next;
  const uint64_t shortest = mean / 4;  // so that the program makes progress
  return next - now < shortest ? shortest : next - now;
}

void take_sample(const void* context) {
  SampleStacks* stacks = now_of(sample_stacks);
  if (stacks == nullptr) return;
  uint64_t addresses[kMostFrames];
  const uint32_t count = walk_stack(context, addresses);
  const uint32_t stack = stack_of(*stacks, addresses, count);
  Session e;
  if (e && e->writer().names == stacks->names)  // else another trace has begun
    e->one(format::k_sample, stack);
}

void set_timer(int timer, uint64_t period) {
  const itimerspec next = {
      {0, 0}, {static_cast<time_t>(period / kSecondInNs), static_cast<long>(period % kSecondInNs)}};
  syscall(SYS_timer_settime, timer, 0, &next, nullptr);
}

void on_sample(int, siginfo_t* info, void* context) {
  const bool is_timer = info->si_code == SI_TIMER && info->si_value.sival_ptr == &sampling;
  const bool is_event = info->si_code >= POLL_IN && info->si_code <= POLL_HUP;
  const uint32_t rate = rate_now();
  if ((!is_timer && !is_event) || rate == 0) return;
  ErrnoGuard errno_guard;
  this_thread.is_in_handler = true;
  const uint64_t mean = kSecondInNs / rate;
  if (is_on()) {
    // A thread's first event may need memory of the C library, if the program has many keys.
    if (this_writer != nullptr || may_attach_in_handler())
      take_sample(context);
    else
      count_missed(1);
  }
  uint64_t period = time_to_next(mean);
  if (is_timer) {
    set_timer(info->si_timerid, period);
  } else {
    ioctl(info->si_fd, PERF_EVENT_IOC_PERIOD, &period);
    ioctl(info->si_fd, PERF_EVENT_IOC_REFRESH, 1);
  }
  this_thread.is_in_handler = false;
}

// ---- timers ----

bool has_default_action(int signal) {
  struct sigaction action;
  return sigaction(signal, nullptr, &action) == 0 && (action.sa_flags & SA_SIGINFO) == 0 &&
         action.sa_handler == SIG_DFL;
}

bool is_ours(int signal) {
  struct sigaction action;
  return sigaction(signal, nullptr, &action) == 0 && (action.sa_flags & SA_SIGINFO) != 0 &&
         action.sa_sigaction == on_sample;
}

// Precondition: locked. Returns false if the program uses all signals that could be used.
bool install_handler() {
  if (sampling.signal != 0) return is_ours(sampling.signal);
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = on_sample;
  action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
  sigfillset(&action.sa_mask);  // as BlockSignals: no other handler runs inside
  for (const int fault : {SIGBUS, SIGSEGV, SIGILL, SIGFPE, SIGTRAP})
    sigdelset(&action.sa_mask, fault);
  for (const int signal : {SIGURG, SIGPROF}) {
    if (!has_default_action(signal)) continue;
    if (sigaction(signal, &action, nullptr) != 0) return false;
    sampling.signal = signal;
    return true;
  }
  return false;
}

uint32_t most_descriptors() {
  rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  const rlim_t share = limit.rlim_cur / kShareOfDescriptors;
  return static_cast<uint32_t>(share < kMostDescriptors ? share : kMostDescriptors);
}

// Returns the descriptor of a thread's perf event, or -1 with errno set. It fires once, as the
// timers do: one that fired again in the handler would call it as soon as it returns, and the
// program would not go on.
int open_event(int tid, uint64_t period) {
  perf_event_attr wanted;
  memset(&wanted, 0, sizeof wanted);
  wanted.type = PERF_TYPE_SOFTWARE;
  wanted.size = sizeof wanted;
  wanted.config = PERF_COUNT_SW_CPU_CLOCK;
  wanted.sample_period = period;
  wanted.disabled = 1;
  wanted.exclude_kernel = 1;  // also without permission, and no system call ends early
  wanted.exclude_hv = 1;
  wanted.wakeup_events = 1;
  const long opened = syscall(SYS_perf_event_open, &wanted, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
  if (opened < 0) return kNone;
  int fd = static_cast<int>(opened);
  if (const int high = duplicate_high(fd); high >= 0) {
    close(fd);
    fd = high;
  }
  const f_owner_ex owner = {F_OWNER_TID, tid};
  if (fcntl(fd, F_SETSIG, sampling.signal) == 0 && fcntl(fd, F_SETOWN_EX, &owner) == 0 &&
      fcntl(fd, F_SETFL, O_ASYNC | O_NONBLOCK) == 0 && ioctl(fd, PERF_EVENT_IOC_REFRESH, 1) == 0)
    return fd;
  const int reason = errno;
  close(fd);
  errno = reason;
  return kNone;
}

// Returns the kernel's number of a thread's timer, or -1 with errno set.
int make_timer(int tid, uint64_t period) {
  constexpr unsigned kThread = 4, kScheduled = 2;  // of the kernel's numbers of CPU clocks
  const auto clock = static_cast<int>(~static_cast<unsigned>(tid) << 3 | kThread | kScheduled);
  sigevent event;
  memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = sampling.signal;
  event.sigev_value.sival_ptr = &sampling;
  event._sigev_un._tid = tid;
  int timer = kNone;
  if (syscall(SYS_timer_create, clock, &event, &timer) != 0) return kNone;
  set_timer(timer, period);
  return timer;
}

// A program that closes all descriptors may have reused the number.
bool is_event_of(const ThreadTimer& of) {
  f_owner_ex owner = {};
  return fcntl(of.descriptor, F_GETSIG) == sampling.signal &&
         fcntl(of.descriptor, F_GETOWN_EX, &owner) == 0 && owner.type == F_OWNER_TID &&
         owner.pid == of.tid;
}

// Precondition: locked, as of the following functions.
void remove_timer(ThreadTimer& of) {
  if (of.descriptor != kNone) {
    if (is_event_of(of)) close(of.descriptor);
    --sampling.descriptors;
  }
  if (of.timer != kNone) syscall(SYS_timer_delete, of.timer);
  of = ThreadTimer{};
}

// A child has no timers, but may have made others with their numbers.
void forget_numbers() {
  for (uint32_t i = 0; i < sampling.used; ++i) sampling.timers[i].timer = kNone;
}

void remove_timers() {
  for (uint32_t i = 0; i < sampling.used; ++i)
    if (sampling.timers[i].tid != 0) remove_timer(sampling.timers[i]);
  sampling.used = 0;
  sampling.descriptors = 0;
}

ThreadTimer* timer_of(int tid) {
  for (uint32_t i = 0; i < sampling.used; ++i)
    if (sampling.timers[i].tid == tid) return &sampling.timers[i];
  return nullptr;
}

// Returns a free place, or null.
ThreadTimer* free_timer() {
  if (ThreadTimer* found = timer_of(0)) return found;
  return sampling.used < kMostTimers ? new (&sampling.timers[sampling.used++]) ThreadTimer
                                      : nullptr;
}

// Returns 0, or an errno value if the thread is not sampled.
int add_timer(int tid, uint32_t seen) {
  if (!is_ours(sampling.signal)) return EBUSY;
  ThreadTimer* place = free_timer();
  if (place == nullptr) return EAGAIN;
  ThreadTimer fresh = {.tid = tid, .descriptor = kNone, .timer = kNone, .seen = seen};
  const uint64_t period = kSecondInNs / rate_now();
  if (!sampling.by_timer && sampling.descriptors < most_descriptors()) {
    fresh.descriptor = open_event(tid, period);
    if (fresh.descriptor == kNone && errno == ESRCH) return ESRCH;
    // Of the first thread: it is refused to all.
    if (fresh.descriptor == kNone && sampling.descriptors == 0) sampling.by_timer = true;
  }
  if (fresh.descriptor != kNone) {
    ++sampling.descriptors;
  } else {
    fresh.timer = make_timer(tid, period);
    if (fresh.timer == kNone) return errno;
  }
  *place = fresh;
  return 0;
}

// ---- threads ----

// Whether the thread has blocked the signal: it would be pending forever.
bool has_blocked(int tid, int signal) {
  Text name;
  name.add("/proc/self/task/").add(static_cast<uint64_t>(tid)).add("/status");
  char text[4096];
  if (read_text(name.data, text, sizeof text) == 0) return true;
  const char* at = strstr(text, "\nSigBlk:\t");
  if (at == nullptr) return true;
  uint64_t blocked = 0;
  for (at += strlen("\nSigBlk:\t"); *at > ' '; ++at)
    blocked = blocked << 4 | static_cast<uint64_t>(*at <= '9' ? *at - '0' : *at - 'a' + 10);
  return (blocked >> (signal - 1) & 1) != 0;
}

struct ThreadEntry {  // as the kernel lists a directory; its name is behind the type
  uint64_t inode;
  int64_t next;
  unsigned short size;
  unsigned char type;
};

// Calls visit(tid) for each thread of the process. Returns their number; 0: unknown.
template <typename Visit>
uint32_t for_each_thread(Visit visit) {
  const OpenFile directory(AT_FDCWD, "/proc/self/task", O_RDONLY | O_DIRECTORY);
  alignas(ThreadEntry) char entries[4096];
  uint32_t count = 0;
  for (;;) {
    const long size = syscall(SYS_getdents64, directory.fd(), entries, sizeof entries);
    if (size <= 0) return size == 0 ? count : 0;
    for (long at = 0; at < size;) {
      const auto* entry = reinterpret_cast<const ThreadEntry*>(entries + at);
      const char* const name = entries + at + offsetof(ThreadEntry, type) + 1;
      at += entry->size;
      int tid = 0;
      for (const char* c = name; *c >= '0' && *c <= '9'; ++c) tid = tid * 10 + (*c - '0');
      if (tid == 0) continue;
      ++count;
      visit(tid);
    }
  }
}

// Adds the timers of new threads and removes those of threads that have ended.
uint32_t update_timers(int own_tid) {
  static uint32_t lists = 0;
  ++lists;
  const uint32_t threads = for_each_thread([&](int tid) {
    if (tid == own_tid) return;
    const bool blocked = has_blocked(tid, sampling.signal);
    BlockSignals block;
    SpinLock lock(sampling_lock());
    if (!lock || rate_now() == 0) return;
    if (ThreadTimer* known = timer_of(tid))
      known->seen = lists;
    else if (!blocked)
      add_timer(tid, lists);
  });
  if (threads == 0) return threads;
  BlockSignals block;
  SpinLock lock(sampling_lock());
  for (uint32_t i = 0; lock && i < sampling.used; ++i)
    if (ThreadTimer& of = sampling.timers[i]; of.tid != 0 && of.seen != lists && of.seen != 0)
      remove_timer(of);
    else if (of.seen == 0)
      of.seen = lists;  // it began during this list
  return threads;
}

// The C library ends the process with its last thread: this one must not be that.
bool main_has_ended() {
  char text[1024];
  if (read_text("/proc/self/stat", text, sizeof text) == 0) return false;
  const char* at = strrchr(text, ')');
  return at != nullptr && strncmp(at, ") Z", 3) == 0;
}

void* watch_threads(void*) {
  prctl(PR_SET_NAME, "skein-sampler");
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, nullptr);
  const auto own_tid = static_cast<int>(syscall(SYS_gettid));
  constexpr timespec kPause = {0, 100'000'000};
  do {
    while (rate_now() != 0) {
      constexpr uint32_t kOwnAndMain = 4;  // main, this one, and two of control.cc
      if (update_frame_tables()) define_new_modules();
      const uint32_t threads = update_timers(own_tid);
      if (threads != 0 && threads <= kOwnAndMain && main_has_ended()) break;
      nanosleep(&kPause, nullptr);
    }
    __atomic_store_n(&has_thread(), 0, __ATOMIC_SEQ_CST);
    // Sampling may have started again just now.
  } while (rate_now() != 0 && !main_has_ended() &&
           __atomic_exchange_n(&has_thread(), 1, __ATOMIC_SEQ_CST) == 0);
  return nullptr;
}

// The stacks of the running trace. They are kept when it ends: a handler may be using them.
bool make_stacks() {
  Names* names = now_of(state.names);
  const SampleStacks* before = now_of(sample_stacks);
  if (before != nullptr && before->names == names) return true;
  void* memory = mmap(nullptr, sizeof(SampleStacks), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return false;
  auto* stacks = static_cast<SampleStacks*>(memory);
  stacks->names = names;
  publish(sample_stacks, stacks);
  return true;
}

bool make_timers() {
  if (sampling.timers != nullptr) return true;
  void* memory = mmap(nullptr, kMostTimers * sizeof(ThreadTimer), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return false;
  sampling.timers = static_cast<ThreadTimer*>(memory);
  return true;
}

void note_rate(uint32_t rate) {
  if (const TaskTable* table = now_of(state.table); table != nullptr && table->header != nullptr)
    __atomic_store_n(&table->header->sample_rate, rate, __ATOMIC_RELAXED);
}

// Finds out which kind of timer the kernel permits.
int try_timer(uint32_t rate) {
  const auto tid = static_cast<int>(syscall(SYS_gettid));
  const int fd = open_event(tid, kSecondInNs / rate);
  sampling.by_timer = fd == kNone;
  if (fd != kNone) {
    close(fd);
    return 0;
  }
  const int timer = make_timer(tid, kSecondInNs);
  if (timer == kNone) return errno;
  syscall(SYS_timer_delete, timer);
  return 0;
}

}  // namespace

int start_sampling(uint32_t rate) {
  {
    BlockSignals block;
    SpinLock lock(sampling_lock());
    if (!lock) return EAGAIN;
    if (!install_handler()) return EBUSY;
    if (!make_timers() || !make_stacks()) return ENOMEM;
    if (rate_now() == 0) {
      // Of a parent, if this is a child that the bare system call has made.
      if (sampling.pid != getpid()) forget_numbers();
      remove_timers();
      sampling.pid = getpid();
      if (const int error = try_timer(rate); error != 0) return error;
      __atomic_fetch_add(&sampling.start, 1, __ATOMIC_RELAXED);
    }
    sampling.wanted = rate;
    set_rate(rate);
    note_rate(rate);
  }
  if (__atomic_exchange_n(&has_thread(), 1, __ATOMIC_SEQ_CST) != 0) return 0;
  const int error = start_thread(watch_threads, nullptr, size_t{64} << 10);
  if (error != 0) {
    __atomic_store_n(&has_thread(), 0, __ATOMIC_SEQ_CST);
    stop_sampling();
  }
  return error;
}

void stop_sampling() {
  if (rate_now() == 0) return;
  BlockSignals block;
  SpinLock lock(sampling_lock());
  set_rate(0);
  sampling.wanted = 0;
  if (lock) remove_timers();
}

uint32_t sample_rate() { return rate_now(); }
bool samples_by_timer() { return sampling.by_timer; }
bool sampling_has_thread() { return __atomic_load_n(&has_thread(), __ATOMIC_SEQ_CST) != 0; }

void sample_this_thread() {
  if (rate_now() == 0 || this_thread.start == __atomic_load_n(&sampling.start, __ATOMIC_RELAXED))
    return;
  ErrnoGuard errno_guard;
  const auto tid = static_cast<int>(syscall(SYS_gettid));
  {
    BlockSignals block;
    SpinLock lock(sampling_lock());
    if (!lock || rate_now() == 0) return;
    this_thread.start = sampling.start;
    // One that was here before is of the list of threads, or of a thread that had this number.
    if (ThreadTimer* known = timer_of(tid)) remove_timer(*known);
    if (add_timer(tid, 0) != 0) return;
  }
  if (this_thread.is_in_handler) return;  // the signal is blocked until it returns
  sigset_t signal;
  sigemptyset(&signal);
  sigaddset(&signal, sampling.signal);
  pthread_sigmask(SIG_UNBLOCK, &signal, nullptr);
}

void end_sampling_of_this_thread() {
  if (rate_now() == 0) return;
  const auto tid = static_cast<int>(syscall(SYS_gettid));
  BlockSignals block;
  SpinLock lock(sampling_lock());
  if (!lock) return;
  if (ThreadTimer* known = timer_of(tid)) remove_timer(*known);
  this_thread.start = 0;
}

void forget_sampling_of_parent(bool goes_on) {
  if (sampling.wanted == 0) return;
  forget_numbers();
  remove_timers();  // the events signal the parent as long as a copy of their descriptors is open
  sampling.pid = getpid();
  this_thread = {};
  if (!goes_on) sampling.wanted = 0;
}

void continue_sampling_in_child() {
  if (sampling.wanted == 0 || !make_stacks()) return;
  set_rate(sampling.wanted);
  note_rate(sampling.wanted);
}

}  // namespace skein::record
