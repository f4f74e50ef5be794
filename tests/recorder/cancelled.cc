// Threads are cancelled while they record. No call of the recorder is a cancellation point: a
// thread with a pending request records all its events and names, and is cancelled at a point of
// its own.
#include <pthread.h>
#include <time.h>

#include <atomic>
#include <string>
#include <vector>

#include "tests/recorder/check.h"
#include "tests/recorder/numbered.h"
#include "tests/recorder/scratch.h"

namespace {

using namespace skein::test;

constexpr uint64_t kCalls = 60'000;  // several chunks of a log
constexpr unsigned kNames = 3000;    // several chunks of definitions

std::atomic<unsigned> reached = 0;
std::string second_trace;

std::string name_of(unsigned i) {
  return "a name that is long enough for a second file of definitions " + std::to_string(i);
}

// Runs `body` in a thread and returns true if the thread was cancelled.
bool is_cancelled(void* (*body)(void*)) {
  pthread_t thread;
  void* result = nullptr;
  reached = 0;
  pthread_create(&thread, nullptr, body, nullptr);
  pthread_join(thread, &result);
  return result == PTHREAD_CANCELED;
}

int cancel_state() {
  int state = -1;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
  pthread_setcancelstate(state, nullptr);
  return state;
}

// Has a pending request from its first instruction on.
void* record_everything(void*) {
  pthread_cancel(pthread_self());
  for (unsigned i = 0; i < kNames; ++i) skein_string(name_of(i).c_str());
  reached = 1;
  NumberedCalls calls(1);
  for (uint64_t n = 1; n <= kCalls; ++n) calls.make(n);
  reached = 2;
  std::vector<skein_task> tasks(5000);  // more than the live task table has memory for
  for (skein_task& task : tasks) skein_create(&task, SKEIN_KIND_task, "many", nullptr);
  for (skein_task& task : tasks) skein_cancel(&task);
  skein_thread_name("cancelled");
  reached = 3;
  skein_stop();
  skein_start(nullptr);
  skein_stop();
  start_trace_at(second_trace);
  reached = 4;
  SKEIN_CHECK(cancel_state() == PTHREAD_CANCEL_ENABLE, "not restored");
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, nullptr);
  skein_string("with cancellation disabled");
  SKEIN_CHECK(cancel_state() == PTHREAD_CANCEL_DISABLE, "enabled by the recorder");
  reached = 5;
  pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, nullptr);
  pthread_testcancel();
  reached = 6;
  return nullptr;
}

void pending_request(const std::string& directory) {
  SKEIN_CHECK(start_trace_at(directory, {.log = true, .tasks = 16384}) == 0, "start");
  second_trace = directory + "-second";
  SKEIN_CHECK(is_cancelled(record_everything), "it was not cancelled");
  SKEIN_CHECK(reached == 5, "cancelled after step %u", reached.load());
  // The locks are free: later names and threads are recorded.
  SKEIN_CHECK(skein_string("later") != 0, "no name");
  skein_stop();
  const Trace trace = read_good_trace(directory);
  SKEIN_CHECK(trace.lost() == 0, "%llu lost", static_cast<unsigned long long>(trace.lost()));
  Run run;
  for (const Stream& stream : trace.streams)
    if (const Run each = find_run(stream.events(), 1); each.last > run.last) run = each;
  // Behind the last call are the tasks, which have no numbers.
  SKEIN_CHECK(run.first == 1 && run.last == kCalls, "calls up to %llu: %s",
              static_cast<unsigned long long>(run.last), run.problem.c_str());
  unsigned names = 0;
  for (const auto& [id, text] : trace.strings) names += text.rfind("a name that", 0) == 0;
  SKEIN_CHECK(names == kNames, "%u names", names);
}

// Asynchronous cancellation may end a thread within an event. The other threads are not affected.
void* record_until_cancelled(void*) {
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, nullptr);
  for (uint64_t n = 1;; ++n) {
    const char name[] = {static_cast<char>('a' + n % 26), static_cast<char>('a' + n / 26 % 26), 0};
    skein_counter_set(7, static_cast<int64_t>(n));
    if (n < 676) skein_string(name);
    reached = 1;
  }
}

void asynchronous(const std::string& directory) {
  SKEIN_CHECK(start_trace_at(directory, {.log = true}) == 0, "start");
  constexpr unsigned kThreads = 100;
  for (unsigned i = 0; i < kThreads; ++i) {
    pthread_t thread;
    reached = 0;
    pthread_create(&thread, nullptr, record_until_cancelled, nullptr);
    while (reached == 0) sched_yield();
    const timespec moment = {0, static_cast<long>(i % 50) * 5000};
    nanosleep(&moment, nullptr);
    pthread_cancel(thread);
    void* result = nullptr;
    pthread_join(thread, &result);
    SKEIN_CHECK(result == PTHREAD_CANCELED, "thread %u: the result is %p", i, result);
    skein_string(("after thread " + std::to_string(i)).c_str());
  }
  skein_stop();
  const Trace trace = read_good_trace(directory);
  unsigned names = 0;
  for (const auto& [id, text] : trace.strings) names += text.rfind("after thread", 0) == 0;
  SKEIN_CHECK(names == kThreads, "%u names of %u", names, kThreads);
  SKEIN_CHECK(trace.streams.size() < 20, "%zu streams: those of cancelled threads are not reused",
              trace.streams.size());
}

}  // namespace

int main() {
  Scratch scratch("cancelled");
  SKEIN_CHECK(good(in_child([&] { pending_request(scratch / "pending"); })), "a pending request");
  // The sanitizers' own functions do not expect to be left by an asynchronous cancellation.
  if (!kAddressSanitizer && !kThreadSanitizer)
    SKEIN_CHECK(good(in_child([&] { asynchronous(scratch / "asynchronous"); })), "asynchronous");
  return verdict();
}
