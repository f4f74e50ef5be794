// Traces start and stop repeatedly while some threads record at full speed and others start and
// end. Every trace can be read, no event is torn or out of order, and the program does not crash.
//
//     recorder_start_stop [TRACES]
#include <atomic>
#include <map>
#include <thread>
#include <vector>

#include "tests/recorder/check.h"
#include "tests/recorder/scratch.h"

namespace {

using namespace skein::test;

constexpr unsigned kThreads = 4;
constexpr skein_source kPlace = {"start_stop.cc", "live", 1, 1};

std::atomic<bool> done = false;
std::atomic<uint64_t> made = 0;  // events recorded while tracing was on

// Records an increasing value of the thread's counter.
void say(uint64_t counter, int64_t& value) {
  if (!skein_enabled()) return;
  ++value;
  skein_task task = {};
  const uint64_t previous = skein_create_running(&task, SKEIN_KIND_task, "life", &kPlace);
  skein_counter_set(static_cast<uint32_t>(counter), value);
  skein_resolve(&task, previous);
  made.fetch_add(1, std::memory_order_relaxed);
}

void record(uint64_t counter) {
  for (int64_t value = 0; !done;) say(counter, value);
}

void come_and_go() {
  for (uint64_t counter = kThreads + 1; !done; ++counter)
    std::thread([counter] {
      int64_t value = 0;
      for (int i = 0; i < 3; ++i) say(counter, value);
    }).join();
}

void wait_for_events() {
  for (const uint64_t before = made; made < before + 200;) std::this_thread::yield();
}

uint64_t check_trace(const std::string& directory) {
  const Trace trace = read_good_trace(directory);
  uint64_t events = 0;
  for (const Stream& stream : trace.streams) {
    std::map<uint64_t, int64_t> values;
    for (const Event& event : stream.events()) {
      ++events;
      if (!event.is("counter_set")) continue;
      const auto value = static_cast<int64_t>(event.b);
      const auto known = values.find(event.a);
      SKEIN_CHECK(known == values.end() || known->second < value, "%s: counter %llu goes back",
                  directory.c_str(), static_cast<unsigned long long>(event.a));
      values[event.a] = value;
    }
  }
  return events;
}

}  // namespace

int main(int count, char** values) {
  const unsigned traces = count > 1 ? static_cast<unsigned>(strtoul(values[1], nullptr, 10)) : 150;
  Scratch scratch("start-stop");
  std::vector<std::thread> threads;
  for (uint64_t i = 1; i <= kThreads; ++i) threads.emplace_back(record, i);
  threads.emplace_back(come_and_go);
  uint64_t events = 0;
  for (unsigned i = 0; i < traces && failures == 0; ++i) {
    const std::string directory = scratch / std::to_string(i);
    SKEIN_CHECK(start_trace_at(directory, {.size = 64 << 10, .log = i % 2 == 0}) == 0, "start");
    wait_for_events();
    skein_stop();
    for (unsigned again = 0; again < i % 4; ++again) {
      SKEIN_CHECK(skein_start(nullptr) == 0, "go on");
      wait_for_events();
      skein_stop();
    }
    // Threads may still be completing an event; the reader must handle that.
    events += check_trace(directory);
    if (i > 0) {  // the previous trace: no thread uses it any more
      const std::string before = scratch / std::to_string(i - 1);
      check_trace(before);
      if (i % 16 == 0 && have_babeltrace()) SKEIN_CHECK(babeltrace_reads(before), "babeltrace2");
      std::filesystem::remove_all(before);
    }
  }
  done = true;
  for (std::thread& thread : threads) thread.join();
  printf("%u traces, %llu events\n", traces, static_cast<unsigned long long>(events));
  SKEIN_CHECK(events >= uint64_t{traces} * 200, "events are missing");
  return verdict();
}
