// Scenarios of threads: many, cancelled, ended at exit; and of modules that come and go.
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <thread>
#include <vector>

#include "tests/chaos/scenario.h"

namespace skein::chaos {
namespace {

// Hundreds of threads at once, with the smallest stacks that the C library permits.
void many_threads() {
  static std::atomic<unsigned> recorded, sum;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN + (16 << 10));
  for (unsigned round = 0; round < 2; ++round) {
    recorded = 0;
    std::vector<pthread_t> threads(300);
    for (pthread_t& thread : threads) {
      const auto body = [](void*) -> void* {
        record(20);
        ++recorded;
        while (recorded < 300) sched_yield();
        ++sum;
        return nullptr;
      };
      if (pthread_create(&thread, &attributes, body, nullptr) != 0) not_permitted();
    }
    for (const pthread_t thread : threads) pthread_join(thread, nullptr);
  }
  print("%u\n", sum.load());
}
const Scenario registered_many("many-threads", many_threads);

// More threads at once than the disk has room for their files.
void thousands_of_threads() {
  constexpr unsigned kThreads = 2500;
  static pthread_barrier_t all_exist;
  static std::atomic<unsigned> sum;
  pthread_barrier_init(&all_exist, nullptr, kThreads);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN + (16 << 10));
  for (unsigned round = 0; round < 2; ++round) {
    std::vector<pthread_t> threads(kThreads);
    for (pthread_t& thread : threads) {
      const auto body = [](void*) -> void* {
        record(5);
        pthread_barrier_wait(&all_exist);
        record(5);
        ++sum;
        return nullptr;
      };
      if (pthread_create(&thread, &attributes, body, nullptr) != 0) not_permitted();
    }
    for (const pthread_t thread : threads) pthread_join(thread, nullptr);
  }
  print("%u\n", sum.load());
}
const Scenario registered_thousands("thousands-of-threads", thousands_of_threads);

// A thread that is preferred to all others shares one processor and the recorder's locks with them.
void realtime() {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<unsigned>(sched_getcpu()), &one);
  sched_setaffinity(0, sizeof one, &one);
  const BusyThreads busy(4);
  std::thread([] {
    const sched_param priority = {.sched_priority = 50};
    // Without the right to do so, the thread is an ordinary one in all forms.
    pthread_setschedparam(pthread_self(), SCHED_FIFO, &priority);
    record(100'000);
    for (int i = 0; i < 20; ++i) std::thread(record, 1000).join();
  }).join();
  print("recorded\n");
}
const Scenario registered_realtime("realtime", realtime);

void* record_until_cancelled(void* type) {
  pthread_setcanceltype(type == nullptr ? PTHREAD_CANCEL_DEFERRED : PTHREAD_CANCEL_ASYNCHRONOUS,
                        nullptr);
  for (;;) {
    record(10);
    if (type == nullptr) pthread_testcancel();
  }
}

void cancellation_storm() {
  unsigned cancelled = 0;
  static int asynchronous;
  for (unsigned i = 0; i < 60; ++i) {
    pthread_t thread;
    void* result = nullptr;
    pthread_create(&thread, nullptr, record_until_cancelled, i % 3 == 0 ? &asynchronous : nullptr);
    if (i % 2 == 0) usleep(i * 10);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    cancelled += result == PTHREAD_CANCELED;
  }
  record(1000);
  print("%u\n", cancelled);
}
const Scenario registered_cancellation("cancellation-storm", cancellation_storm);

// ---- the end of threads and of the program ----

struct Late {
  explicit Late(const char* its_name) : name(its_name) {}
  ~Late() {
    record(20);
    print("%s\n", name);
  }
  const char* name;
};

pthread_key_t rounds;

void late_destructors() {
  static Late at_exit("static");
  atexit([] {
    record(20);
    print("atexit\n");
  });
  pthread_key_create(&rounds, [](void* rest) {
    record(20);
    if (rest != nullptr) pthread_setspecific(rounds, static_cast<char*>(rest) - 1);
  });
  for (int i = 0; i < 3; ++i)
    std::thread([] {
      thread_local Late late("thread_local");
      pthread_setspecific(rounds, reinterpret_cast<void*>(3));
      record(20);
    }).join();
  thread_local Late of_main("thread_local of main");
  std::thread([] {  // ends after main
    for (;;) record(1), usleep(100);
  })
      .detach();
  record(20);
}
const Scenario registered_late("late-destructors", late_destructors);

// main() ends, but not the process: threads continue, the last of which ends it with exit(0).
// Signals that main() does not block are delivered at the end.
void main_ends() {
  atexit([] {
    record(20);
    sigset_t blocked;
    pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
    print("exit, %s\n", sigismember(&blocked, SIGUSR1) != 0 ? "blocked" : "not blocked");
  });
  std::thread([] {
    usleep(50'000);
    record(1000);
    std::thread([] {
      usleep(5'000);
      record(20);
      print("the last thread\n");
    }).detach();
  }).detach();
  record(20);
  pthread_exit(nullptr);
}
const Scenario registered_main_ends("main-ends", main_ends);

// The same without threads and without descriptors; then without /proc.
void main_ends_alone() {
  record(20);
  close_range(3, ~0u, 0);
  pthread_exit(nullptr);
}
const Scenario registered_main_alone("main-ends-alone", main_ends_alone);

void main_ends_without_files() {
  record(20);
  if (chroot(folder().c_str()) != 0) not_permitted();
  std::thread([] {
    usleep(20'000);
    print("the last thread\n");
  }).detach();
  pthread_exit(nullptr);
}
const Scenario registered_main_chroot("main-ends-without-files", main_ends_without_files);

// A thread ends the process with its own status, after main.
void main_ends_first() {
  std::thread([] {
    usleep(20'000);
    record(20);
    exit(3);
  }).detach();
  pthread_exit(nullptr);
}
const Scenario registered_main_first("main-ends-first", main_ends_first);

// A module that records is loaded, runs a thread, and is unloaded.
void unloaded_module() {
  const BusyThreads busy(2);
  int sum = 0;
  for (int i = 0; i < 20; ++i) {
    void* module = dlopen(CHAOS_MODULE, RTLD_NOW | RTLD_LOCAL);
    if (module == nullptr) {
      print("%s\n", dlerror());
      return;
    }
    auto* run = reinterpret_cast<int (*)(void (*)(unsigned))>(dlsym(module, "chaos_module_run"));
    sum += run(record);
    dlclose(module);
    record(100);
  }
  print("%d, %s\n", sum, dlopen(CHAOS_MODULE, RTLD_NOLOAD | RTLD_NOW) == nullptr ? "gone" : "left");
}
const Scenario registered_module("unloaded-module", unloaded_module);

// Handlers of fork that record, in each process.
void fork_handlers() {
  pthread_atfork([] { record(10); }, [] { record(10); }, [] { record(10); });
  const BusyThreads busy(2);
  int sum = 0;
  for (int i = 0; i < 20; ++i) sum += in_child([] { record(10); }) == 0;
  print("%d\n", sum);
}
const Scenario registered_handlers("fork-handlers", fork_handlers);

}  // namespace
}  // namespace skein::chaos
