#include "profile/sample/perf_rings.h"

#include <doctest/doctest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "profile/sample/monotonic_clock.h"

namespace skein {

namespace {

// A thread that works until the end of its scope.
class Spinner {
 public:
  Spinner() {
    while (tid_ == 0) std::this_thread::yield();
  }
  uint32_t tid() const { return tid_; }

 private:
  std::atomic<uint32_t> tid_ = 0;
  std::jthread thread_{[this](const std::stop_token& stop) {
    tid_ = static_cast<uint32_t>(syscall(SYS_gettid));
    while (!stop.stop_requested()) {
    }
  }};
};

// Whether a sample of the thread comes, of any processor's ring, without a wait for wake-ups.
bool is_sampled(PerfRings& rings, uint32_t tid) {
  constexpr uint64_t longest = 20'000'000'000;
  bool found = false;
  for (const uint64_t begin = monotonic_ns(); !found && monotonic_ns() - begin < longest;)
    for (size_t ring = 0; ring < rings.rings(); ring++) {
      rings.wait(ring, 100);
      rings.drain(ring, [&](std::span<const uint8_t> bytes) {
        PerfRecord record;
        found =
            found || (parse_perf_record(bytes, rings.event(), record) &&
                      record.type == PerfRecord::Type::Sample && record.tid == tid &&
                      !rings.is_wait(bytes) && record.period > 100'000 && !record.stack.empty());
      });
    }
  return found;
}

}  // namespace

TEST_CASE(
    "a thread is sampled by the clocks of processors, or by its own where these are refused") {
  const Spinner spinner;
  const uint32_t tid = spinner.tid();
  for (const bool logical : {true, false}) {
    CAPTURE(logical);
    Result<PerfRings> rings = PerfRings::open(std::span(&tid, 1), {.logical = logical});
    if (!rings) {
      MESSAGE("skipped: " << rings.error().message());
      return;
    }
    const bool may_have_clocks = geteuid() == 0 && !rings->has_counters() && rings->rings() <= 16;
    if (!logical || may_have_clocks) CHECK(rings->has_processor_clocks() == logical);
    if (logical) {
      Result<PerfRings> often = PerfRings::open(std::span(&tid, 1), {.frequency = 20'000});
      if (often) CHECK_FALSE(often->has_processor_clocks());
    }
    rings->enable();
    CHECK(is_sampled(*rings, tid));
    rings->disable();
  }
}

TEST_CASE("with its waits, a thread's samples come from the clocks of processors, too") {
  const Spinner spinner;
  const uint32_t tid = spinner.tid();
  Result<PerfRings> rings = PerfRings::open(std::span(&tid, 1), {.off_cpu = true});
  if (!rings) {
    MESSAGE("skipped: " << rings.error().message());
    return;
  }
  rings->enable();
  CHECK(is_sampled(*rings, tid));
}

TEST_CASE("each wait is sampled with its stack, whether it wakes the reader of its ring or not") {
  std::atomic<uint32_t> tid = 0;
  const std::jthread sleeper([&](const std::stop_token& stop) {
    tid = static_cast<uint32_t>(syscall(SYS_gettid));
    while (!stop.stop_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  });
  while (tid == 0) std::this_thread::yield();
  const uint32_t thread = tid;
  Result<PerfRings> rings = PerfRings::open(std::span(&thread, 1), {.off_cpu = true});
  if (!rings) {
    MESSAGE("skipped: " << rings.error().message());
    return;
  }
  rings->enable();
  for (const bool wakes : {true, false, true}) {
    CAPTURE(wakes);
    rings->wake_at_waits(wakes);
    rings->drain([](std::span<const uint8_t>) {});
    constexpr size_t most = 20;
    size_t waits = 0;
    uint64_t last = 0;  // when the thread had a processor again
    for (const uint64_t begin = monotonic_ns();
         waits < most && monotonic_ns() - begin < 20'000'000'000;) {
      rings->wait(1);
      rings->drain([&](std::span<const uint8_t> bytes) {
        PerfRecord record;
        if (!parse_perf_record(bytes, rings->event(), record) || record.tid != thread) return;
        if (record.type == PerfRecord::Type::Switch && !record.is_out) last = record.time;
        if (record.type != PerfRecord::Type::Sample || !rings->is_wait(bytes)) return;
        CHECK(record.stack.size() > 8);
        waits++;
      });
    }
    CHECK(waits >= most);
    CHECK(last != 0);
  }
}

}  // namespace skein
