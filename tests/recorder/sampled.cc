// Threads are sampled at the highest rate while the program does what profilers break: it
// allocates, forks, executes, starts and ends threads, and uses the signals itself. With perf
// events, and with timers where perf_event_open is refused.
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <set>
#include <thread>
#include <vector>

#include "tests/recorder/check.h"
#include "tests/recorder/scratch.h"

namespace {

using namespace skein::test;

constexpr uint32_t kRate = 10'000;

double cpu_time() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// Outside the kernel, where threads are sampled.
void burn(double seconds) {
  const double end = cpu_time() + seconds;
  while (cpu_time() < end)
    for (int i = 0; i < 100'000; ++i) __asm__ volatile("");
}

void start(const std::string& directory, uint32_t rate = kRate) {
  skein_options options = {};
  options.directory = directory.c_str();
  options.log = 1;
  options.tasks = 4096;
  options.sample_rate = rate;
  SKEIN_CHECK(skein_start(&options) == 0, "start");
}

// Checks that each stack is defined before its samples refer to it. Returns how many samples the
// streams of a thread have, or all.
size_t samples_in(const std::string& directory, uint64_t tid = 0) {
  const Trace trace = read_good_trace(directory);
  std::set<uint64_t> defined;
  for (const Event& event : trace.definitions)
    if (event.is("sample")) defined.insert(event.a);
  size_t samples = 0, undefined = 0;
  for (const Stream& stream : trace.streams) {
    uint64_t thread = 0;
    for (const Event& event : stream.events()) {
      if (event.is("executor")) thread = event.a;
      if (!event.is("sample")) continue;
      undefined += event.a != 0 && defined.count(event.a) == 0;
      samples += tid == 0 || thread == tid;
    }
  }
  SKEIN_CHECK(undefined == 0, "%zu stacks", undefined);
  return samples;
}

void refuse_perf_events() {
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program = {sizeof filter / sizeof filter[0], filter};
  SKEIN_CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
                  prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0,
              "seccomp: %s", strerror(errno));
}

// Threads that record, and one that never does.
void threads(const std::string& directory) {
  start(directory, 1000);
  std::atomic<uint64_t> silent = 0;
  std::thread other([&] {
    silent = static_cast<uint64_t>(syscall(SYS_gettid));
    for (int i = 0; i < 50; ++i) {  // it is found ten times a second
      burn(0.02);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  });
  skein_counter_set(skein_string("work"), 1);
  // Timers fire at ticks of the kernel, of which a busy machine leaves this thread few: 36 to 145
  // in 0.5 s beside 15 other processes.
  burn(1.5);
  other.join();
  skein_stop();
  const size_t here = samples_in(directory, static_cast<uint64_t>(getpid()));
  const size_t there = samples_in(directory, silent);
  SKEIN_CHECK(here >= 20, "this thread: %zu", here);
  SKEIN_CHECK(there >= 5, "the other thread: %zu", there);
}

// The allocator's locks, errno, and many short-lived threads.
void storm(const std::string& directory) {
  start(directory);
  std::vector<std::thread> all;
  std::atomic<bool> is_over = false;
  for (int i = 0; i < 2; ++i)
    all.emplace_back([&, i] {
      uint64_t n = 0;
      while (!is_over) {
        errno = 4711 + i;
        std::vector<std::string> texts;
        for (int k = 0; k < 500; ++k) texts.emplace_back(100 + k % 50, 'x');
        skein_counter_set(1, static_cast<int64_t>(++n));
        skein_string(texts[n % 50].c_str());
        SKEIN_CHECK(errno == 4711 + i, "errno %d", errno);
      }
    });
  for (int i = 0; i < 50; ++i) std::thread([] { skein_counter_set(2, 1); }).join();
  for (int i = 0; i < 20; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      std::vector<std::string> texts(100, std::string(1000, 'y'));
      burn(0.002);
      _exit(texts.size() == 100 ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    SKEIN_CHECK(good(status), "child: %x", status);
  }
  for (int i = 0; i < 10; ++i) SKEIN_CHECK(system("exit 3") == 3 << 8, "a command");
  is_over = true;
  for (std::thread& thread : all) thread.join();
  burn(0.2);
  skein_stop();
  const size_t samples = samples_in(directory);
  SKEIN_CHECK(samples >= 20, "%zu samples", samples);
}

// A program that replaces itself while it is sampled has the other program's exit status.
void executes(const std::string& directory) {
  for (int i = 0; i < 10; ++i) {
    const int status = in_child([&] {
      start(directory + std::to_string(i));
      burn(0.003);
      execl("/bin/true", "true", nullptr);
      _exit(2);
    });
    SKEIN_CHECK(good(status), "%x", status);
  }
}

void starts_and_stops(const std::string& directory) {
  for (int i = 0; i < 10; ++i) {
    start(directory + std::to_string(i));
    skein_counter_set(3, i);
    burn(0.01);
    skein_stop();
    if (i % 3 == 0) {
      SKEIN_CHECK(skein_start(nullptr) == 0, "resume");
      burn(0.01);
      skein_stop();
    }
    samples_in(directory + std::to_string(i));
  }
}

std::atomic<int> own_signals = 0;
void on_own_signal(int) { ++own_signals; }

void (*handler_of(int signal))(int) {
  struct sigaction action;
  sigaction(signal, nullptr, &action);
  return action.sa_handler;
}

// The program's handlers stay, and receive what is sent to them.
void own_handlers(const std::string& directory) {
  signal(SIGURG, on_own_signal);
  start(directory + "urgent");
  burn(0.1);
  raise(SIGURG);
  SKEIN_CHECK(handler_of(SIGURG) == on_own_signal && own_signals == 1, "%d", own_signals.load());
  skein_stop();
  SKEIN_CHECK(samples_in(directory + "urgent") > 0, "samples by another signal");
}
void all_signals_used(const std::string& directory) {
  signal(SIGURG, on_own_signal);
  signal(SIGPROF, on_own_signal);
  start(directory);
  burn(0.1);
  skein_stop();
  SKEIN_CHECK(own_signals == 0 && samples_in(directory) == 0, "%d", own_signals.load());
}
// A signal that is not the sampler's does nothing, as before.
void foreign_signal(const std::string& directory) {
  start(directory, 1);
  for (int i = 0; i < 100; ++i) raise(SIGURG);
  kill(getpid(), SIGURG);
  skein_stop();
  SKEIN_CHECK(samples_in(directory) < 3, "samples");
}

void run_all(const Scratch& scratch, const std::string& prefix) {
  const auto run = [&](const char* name, void (*body)(const std::string&)) {
    const int status = in_child([&] { body(scratch / (prefix + name)); });
    SKEIN_CHECK(good(status), "%s%s: %x", prefix.c_str(), name, status);
  };
  run("threads", threads);
  run("storm", storm);
  run("executes", executes);
  run("starts", starts_and_stops);
  run("own", own_handlers);
  run("used", all_signals_used);
  run("foreign", foreign_signal);
}

}  // namespace

int main() {
  const Scratch scratch("sampled");
  run_all(scratch, "event-");
  const int status = in_child([&] {
    refuse_perf_events();
    run_all(scratch, "timer-");
  });
  SKEIN_CHECK(good(status), "timers: %x", status);
  return verdict();
}
