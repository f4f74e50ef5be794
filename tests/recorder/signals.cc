// Signal handlers record at a high rate. No event that they interrupt is torn, time never goes back
// in a stream, and few events are dropped; those are counted. Handlers leave by longjmp, also out
// of operations that lock the live task table, and one records its thread's first event.
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>

#include <atomic>
#include <cstring>
#include <span>
#include <thread>

#include "tests/recorder/check.h"
#include "tests/recorder/numbered.h"
#include "tests/recorder/scratch.h"

namespace {

using namespace skein::test;

std::atomic<int> handled = 0;  // by any thread that receives the signal
sigjmp_buf jump;

std::atomic<unsigned> interval = 0;  // microseconds; 0: no more signals

// A handler requests the next signal when it returns. With a periodic timer, a machine on which a
// handler takes longer than the interval would only run handlers.
void request_next_signal() {
  const itimerval timer = {{0, 0}, {0, static_cast<suseconds_t>(interval)}};
  setitimer(ITIMER_REAL, &timer, nullptr);
}
void every(unsigned microseconds) {
  interval = microseconds;
  request_next_signal();
}

void on_alarm(void (*handler)(int), int flags = SA_RESTART) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigaction(SIGALRM, &action, nullptr);
}

void record_in_handler(int) {
  ++handled;
  skein_pause(SKEIN_KIND_unknown, 0);
  request_next_signal();
}

uint64_t run_for(double seconds, uint64_t at_least) {
  NumberedCalls calls(1);
  timespec begin, now;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  uint64_t n = 0;
  do {
    for (unsigned i = 0; i < 1000; ++i) calls.make(++n);
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while (static_cast<double>(now.tv_sec - begin.tv_sec) +
                   static_cast<double>(now.tv_nsec - begin.tv_nsec) * 1e-9 <
               seconds ||
           static_cast<uint64_t>(handled) < at_least);
  every(0);
  return n;
}

// Checks the numbered calls and the pauses (recorded by the handler) of all streams.
void check_trace(const std::string& directory, uint64_t calls) {
  const Trace trace = read_good_trace(directory);
  uint64_t pauses = 0, last = 0;
  for (const Stream& stream : trace.streams) {
    std::vector<Event> events;
    for (const Event& event : stream.events()) {
      if (event.is("pause"))
        ++pauses;
      else
        events.push_back(event);
    }
    const Run run = find_run(events, 1);
    SKEIN_CHECK(run.problem.empty(), "%s", run.problem.c_str());
    if (run.last > last) last = run.last;
  }
  const auto signals = static_cast<uint64_t>(handled);
  const uint64_t lost = trace.lost();
  printf("%llu calls, %llu signals, %llu recorded, %llu reported as lost\n",
         static_cast<unsigned long long>(calls), static_cast<unsigned long long>(signals),
         static_cast<unsigned long long>(pauses), static_cast<unsigned long long>(lost));
  SKEIN_CHECK(last == calls, "newest %llu", static_cast<unsigned long long>(last));
  SKEIN_CHECK(pauses + lost == signals, "every signal is recorded or counted");
  SKEIN_CHECK(lost * 100 <= signals, "more than 1 %% lost");
}

void high_rate(const std::string& directory) {
  SKEIN_CHECK(start_trace_at(directory, {.log = true}) == 0, "start");
  on_alarm(record_in_handler);
  every(30);
  const uint64_t calls = run_for(0.5, 1000);
  skein_stop();
  check_trace(directory, calls);
}

// One handler interrupts another, and both record.
void nested_handlers(const std::string& directory) {
  SKEIN_CHECK(start_trace_at(directory, {.log = true}) == 0, "start");
  on_alarm([](int) {
    record_in_handler(0);
    raise(SIGUSR1);
    record_in_handler(0);
  });
  signal(SIGUSR1, record_in_handler);
  every(30);
  const uint64_t calls = run_for(0.3, 1000);
  skein_stop();
  check_trace(directory, calls);
}

// A handler records the thread's first event while the thread acquires its stream.
void first_event_in_handler(const std::string& directory) {
  SKEIN_CHECK(start_trace_at(directory) == 0, "start");
  constexpr int kSignals = 100;
  on_alarm([](int) {
    record_in_handler(0);
    // Stop here: a clone() that takes longer than the interval restarts endlessly.
    if (handled >= kSignals) every(0);
  });
  every(20);
  while (handled < kSignals) {
    pthread_t thread;
    pthread_create(
        &thread, nullptr,
        [](void*) -> void* {
          skein_counter_set(1, 1);
          return nullptr;
        },
        nullptr);
    pthread_join(thread, nullptr);
    // The thread sanitizer delays signals, and drops one if its thread ends first. Then no handler
    // requests the next one.
    if (handled < kSignals) request_next_signal();
  }
  every(0);
  skein_stop();
  read_good_trace(directory);
}

// A handler that leaves by longjmp leaves the interrupted call unfinished.
void jumps(const std::string& directory) {
  SKEIN_CHECK(start_trace_at(directory, {.log = true}) == 0, "start");
  on_alarm([](int) {
    ++handled;
    skein_pause(SKEIN_KIND_unknown, 0);
    request_next_signal();
    siglongjmp(jump, 1);
  });
  volatile uint64_t made = 0;
  volatile unsigned jumped = 0;
  if (sigsetjmp(jump, 1) != 0) jumped = jumped + 1;
  if (jumped < 3000) {
    if (jumped == 0) every(40);
    for (;;) {
      skein_counter_set(7, static_cast<int64_t>(made));
      made = made + 1;
    }
  }
  every(0);
  constexpr uint64_t kAfter = 1000;
  for (uint64_t i = 0; i < kAfter; ++i) skein_counter_set(8, static_cast<int64_t>(i));
  skein_stop();
  const Trace trace = read_good_trace(directory);
  uint64_t after = 0, before = 0;
  for (const Stream& stream : trace.streams)
    for (const Event& event : stream.events()) {
      if (event.is("counter_set")) ++(event.a == 8 ? after : before);
    }
  printf("%u jumps: %llu of %llu events recorded, then %llu of %llu; %llu reported as lost\n",
         static_cast<unsigned>(jumped), static_cast<unsigned long long>(before),
         static_cast<unsigned long long>(made), static_cast<unsigned long long>(after),
         static_cast<unsigned long long>(kAfter), static_cast<unsigned long long>(trace.lost()));
  SKEIN_CHECK(after == kAfter, "the thread's stream never came back");
  SKEIN_CHECK(before + 3000 >= made, "more than one event a jump is missing");
}

unsigned tasks_without_row(std::span<skein_task> tasks) {
  unsigned count = 0;
  for (skein_task& task : tasks) {
    skein_create(&task, SKEIN_KIND_task, "many", nullptr);
    if (task.row == 0) ++count;
  }
  return count;
}

// A handler leaves by longjmp while the thread takes rows from the live task table or returns them.
// The table's lock is free afterwards: each new task of any thread has a row.
void jumps_out_of_the_table(const std::string& directory) {
  SKEIN_CHECK(start_trace_at(directory, {.tasks = 4096}) == 0, "start");
  constexpr unsigned kJumps = 1000;
  static skein_task tasks[200];  // more than a thread keeps rows for
  on_alarm([](int) {
    ++handled;
    request_next_signal();
    siglongjmp(jump, 1);
  });
  volatile unsigned jumped = 0;
  if (sigsetjmp(jump, 1) != 0) jumped = jumped + 1;
  if (jumped < kJumps) {
    if (jumped == 0) every(40);
    for (;;) {
      // The first loop also ends the tasks that a jump left: each costs the table at most one row.
      for (skein_task& task : tasks)
        if (task.row != 0) skein_cancel(&task);
      for (skein_task& task : tasks) skein_create(&task, SKEIN_KIND_task, "many", nullptr);
    }
  }
  every(0);
  const unsigned here = tasks_without_row(tasks);
  unsigned in_thread = 0;
  std::thread([&] { in_thread = tasks_without_row(tasks); }).join();
  skein_stop();
  SKEIN_CHECK(here == 0 && in_thread == 0, "after %u jumps %u and %u of 200 tasks have no row",
              static_cast<unsigned>(jumped), here, in_thread);
  read_good_trace(directory);
}

}  // namespace

int main() {
  Scratch scratch("signals");
  SKEIN_CHECK(good(in_child([&] { high_rate(scratch / "rate"); })), "high rate");
  SKEIN_CHECK(good(in_child([&] { first_event_in_handler(scratch / "first"); })), "first event");
  // The thread sanitizer delays handlers and has one saved signal mask for all of them, so all
  // signals may stay blocked after nested handlers.
  if (!kThreadSanitizer) {
    SKEIN_CHECK(good(in_child([&] { nested_handlers(scratch / "nested"); })), "nested handlers");
    SKEIN_CHECK(good(in_child([&] { jumps(scratch / "jumps"); })), "longjmp");
    SKEIN_CHECK(good(in_child([&] { jumps_out_of_the_table(scratch / "table"); })),
                "longjmp out of the table");
  }
  return verdict();
}
