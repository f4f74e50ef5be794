// A ring into which the kernel writes records of perf_event_open(2), and what all its users need.
//
//   Result<PerfRing> ring = PerfRing::map(descriptor);
//   ring->drain([&](std::span<const uint8_t> record) { use(record); });
//
// Records: Linux, include/uapi/linux/perf_event.h.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "base/result.h"

namespace skein {

class PerfRing {
 public:
  // The largest ring that the kernel permits, at most `largest` bytes, a power of two: others than
  // root have perf_event_mlock_kb for each processor. The descriptor stays the caller's.
  static Result<PerfRing> map(int descriptor, size_t largest);

  PerfRing(PerfRing&& other) noexcept { *this = std::move(other); }
  PerfRing& operator=(PerfRing&& other) noexcept;
  ~PerfRing();

  int descriptor() const { return descriptor_; }

  // Whether more than half of it is full: from then on, records may be lost.
  bool is_crowded() const;

  // Calls `use` for each record, which is valid during the call.
  void drain(const std::function<void(std::span<const uint8_t>)>& use);

 private:
  PerfRing(int descriptor, void* base, size_t size)
      : descriptor_(descriptor), base_(static_cast<uint8_t*>(base)), size_(size) {}

  int descriptor_ = -1;
  uint8_t* base_ = nullptr;
  size_t size_ = 0;            // of the data, a power of two
  std::vector<uint8_t> copy_;  // of a record that continues at the ring's beginning
};

// The numbers of those that are on. Those that this process may use need not begin with 0, nor be
// all that the machine has.
std::vector<int> online_processors();

// Events of many threads need many descriptors.
void raise_descriptor_limit();

// Why perf_event_open failed, and what permits it. `reason`: errno.
Error perf_refusal(int reason);

}  // namespace skein
