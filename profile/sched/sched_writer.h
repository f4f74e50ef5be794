// Writes the stream of thread states into the directory of a trace: files sched-0, sched-1 ...
// docs/format.md, "Thread states".
//
//   Result<SchedWriter> writer = SchedWriter::open("server.skein");
//   writer->put(ticks, change);
//   writer->commit(lost);                    // what was put is there even if this process dies
//   if (Result<void> done = writer->finish(); !done) report(done.error());
//
// A trace that is a ring keeps the newest `ring_bytes` of it, one that is a log everything.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "profile/sched/thread_tracker.h"
#include "trace/read/ctf/metadata.h"

namespace skein {

class SchedWriter {
 public:
  static constexpr size_t chunk_size = 256 << 10;
  static constexpr uint64_t ring_bytes = 64 << 20;

  // Fails if it is no trace, or has such a stream already: `what` then is already_recorded.
  static Result<SchedWriter> open(const std::string& directory);
  static constexpr const char* already_recorded = "has the kernel's account of its threads already";

  SchedWriter(SchedWriter&& other) noexcept { *this = std::move(other); }
  SchedWriter& operator=(SchedWriter&& other) noexcept;
  ~SchedWriter();

  // Whether ticks are those of the time stamp counter, not of CLOCK_MONOTONIC.
  bool counts_tsc() const { return counts_tsc_; }

  // Ticks ascend.
  void put(uint64_t ticks, const SchedChange& change);
  // `lost`: events so far.
  void commit(uint64_t lost);
  // The first error, if any: then events are missing.
  Result<void> finish();

 private:
  SchedWriter() = default;
  void begin_chunk(uint64_t ticks);
  void write(const void* bytes, size_t size, uint64_t offset);

  std::string directory_;
  ctf::Uuid uuid_ = {};
  bool counts_tsc_ = false;
  bool is_ring_ = true;
  int file_ = -1;
  uint64_t chunks_ = 0;          // begun so far
  uint64_t committed_ = 0;       // bytes of this chunk in the file
  std::vector<uint8_t> events_;  // behind them
  uint64_t last_ticks_ = 0;
  uint64_t chunk_begin_ = 0;  // ticks
  uint64_t lost_ = 0;
  int error_ = 0;  // errno of the first failure
};

}  // namespace skein
