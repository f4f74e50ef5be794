// How a ring grows: the policy alone, without files.
//
// A thread's ring begins with `size` bytes. If a thread is so busy that its ring would reach back
// less than `keep`, it gets another chunk instead of recycling the oldest, as long as the ring and
// all rings together are within their limits. It never shrinks: after a busy period it reaches
// back longer.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "record/host/posix/options.h"

namespace skein::record {

inline constexpr uint64_t kDefaultKeep = 5'000'000'000;          // ns
inline constexpr uint64_t kMostOfThread = uint64_t{16} << 20;    // if neither keep nor most is set
inline constexpr uint64_t kMostOfProcess = uint64_t{256} << 20;  // as far as the machine has room
inline constexpr uint64_t kShareOfRoom = 16;

struct Growth {
  uint64_t keep_ns = 0;         // 0: the ring does not grow
  uint64_t most_of_thread = 0;  // bytes of chunks
  uint64_t most = 0;            // of the process
};

inline bool may_grow(const Options& options) {
  const bool has_size_only = options.size != 0 && options.keep_ns == 0 && options.most == 0;
  return !options.log && options.all_files_for == 0 && !has_size_only;
}

// `room`: the smallest of what the process may use: memory, address space, disk (bytes).
inline Growth growth_of(const Options& options, uint64_t room) {
  if (!may_grow(options)) return {};
  Growth growth;
  growth.keep_ns = options.keep_ns != 0 ? options.keep_ns : kDefaultKeep;
  growth.most = kMostOfProcess < room / kShareOfRoom ? kMostOfProcess : room / kShareOfRoom;
  if (options.most != 0) growth.most = options.most;
  const bool is_default = options.keep_ns == 0 && options.most == 0;
  growth.most_of_thread = is_default ? kMostOfThread : growth.most;
  return growth;
}

// The size of the next chunk of a ring of `bytes`, whose first chunks have `first` bytes: a sixth
// of the ring, so that few chunks make a large ring and recycling one takes little of its time. 0:
// it may not grow. `largest`: what a file and all rings together may have (bytes).
inline size_t size_of_grown(const Growth& growth, uint64_t bytes, size_t first, uint64_t largest) {
  constexpr uint64_t kPage = 4096;
  uint64_t size = bytes / 6;
  if (size < first) size = first;
  if (bytes >= growth.most_of_thread) return 0;
  if (size > growth.most_of_thread - bytes) size = growth.most_of_thread - bytes;
  if (size > largest) size = largest;
  size = size / kPage * kPage;
  return size < first ? 0 : size;
}

}  // namespace skein::record
