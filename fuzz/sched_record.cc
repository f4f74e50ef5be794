// Records of context switches, and the states of threads that follow from them. The first bytes are
// the layout of the tracepoint; each record has its size in its header, as in a ring.
#include "profile/sched/sched_record.h"

#include <cstdlib>
#include <cstring>
#include <string>

#include "profile/sched/thread_tracker.h"

using namespace skein;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 1) return 0;
  const WakingLayout waking{.thread = data[0]};
  read_waking_format({reinterpret_cast<const char*>(data), size});
  std::span<const uint8_t> rest(data + 1, size - 1);
  ThreadTracker tracker(1, {1, 2}, [](uint32_t tid) { return std::to_string(tid); });
  uint64_t last = 0;
  const auto check = [&](const SchedChange& change) {
    if (change.time < last) std::abort();
    if (change.tid == 0 && change.state != ThreadState::Unknown) std::abort();
    last = change.time;
  };
  while (rest.size() >= 8) {
    uint16_t length = 0;
    std::memcpy(&length, rest.data() + 6, sizeof length);
    if (length < 8 || length > rest.size()) break;
    // A copy of its size: so that a read behind it is found.
    const std::vector<uint8_t> record(rest.begin(), rest.begin() + length);
    if (const auto decoded = decode_sched_record(record, waking)) {
      tracker.add(*decoded);
      if ((decoded->time & 7) == 0) tracker.take_until(decoded->time, check);
      tracker.newly_blocked(4);
    }
    rest = rest.subspan(length);
  }
  tracker.take_until(UINT64_MAX, check);
  return 0;
}
