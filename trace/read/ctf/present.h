// The present time in ticks of a trace of this machine.
#pragma once

#include <cstdint>
#include <string>

namespace skein::ctf {

// While the program runs, each stream is read at a different time: without a limit, an operation
// that one thread started and another one completed in between would seem to be pending. Readers
// therefore ignore events that are later than the beginning of the read.
class Present {
 public:
  Present();  // now

  // In ticks of this clock (`env.clock_source`). UINT64_MAX if the trace was recorded on another
  // machine or before it was started again: then its program has ended.
  uint64_t ticks(const std::string& boot_id, const std::string& clock_source) const;

 private:
  uint64_t counter_ = 0;       // 0: unknown
  uint64_t monotonic_ns_ = 0;  // 0: unknown
};

}  // namespace skein::ctf
