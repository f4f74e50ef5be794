// The records of perf_event_open(2) that say what the kernel did with threads.
//
//   if (const auto record = decode_sched_record(bytes, layout)) use(*record);
//
// Of events with sample_id_all and the sample_type `sched_sample_type`. Nothing in a record is
// trusted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace skein {

struct SchedRecord {
  enum class Kind : uint8_t {
    In,         // the thread got a CPU
    Preempted,  // it lost it, although it could go on
    Blocked,    // it gave it up
    Woken,
    Named,     // it has this name from now on
    Started,   // by the thread `other`
    Ended,     // it runs once more, to its last Blocked
    Lost,      // the kernel dropped `lost` records
    Function,  // no record of the kernel: it is blocked in the kernel's function `name`, and was
               // since `since`
  };
  Kind kind = Kind::Lost;
  uint32_t pid = 0;  // 0: unknown
  uint32_t tid = 0;
  uint64_t time = 0;  // CLOCK_MONOTONIC, ns
  uint32_t cpu = 0;   // plus 1; 0: unknown
  // Preempted, Blocked: the thread that ran next; Woken: which woke it; 0: unknown, or idle
  uint32_t other = 0;
  uint64_t lost = 0;
  uint64_t since = 0;
  std::string_view name = {};
};

// Where the tracepoint sched_waking has the thread, from tracefs.
struct WakingLayout {
  size_t thread = 24;  // offset of its number, 4 bytes
};
// Of the text of events/sched/sched_waking/format; empty: it has no such field.
std::optional<WakingLayout> read_waking_format(std::string_view text);

// Empty: another record, or it is cut short. `name` refers to the bytes.
std::optional<SchedRecord> decode_sched_record(std::span<const uint8_t> record,
                                               const WakingLayout& waking);

}  // namespace skein
