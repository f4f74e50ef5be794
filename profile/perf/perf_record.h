// The records of perf_event_open(2): in perf.data (perf_file.h), and in the rings of a running
// recording (profile/sample). Layouts: Linux, include/uapi/linux/perf_event.h.
//
//   PerfRecord record;
//   if (parse_perf_record(bytes, event, record)) use(record);
//
// Nothing in a record is trusted.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "symbol/unwind_registers.h"

namespace skein {

// PERF_SAMPLE_: bits of PerfEvent::sample_type.
enum : uint64_t {
  perf_has_ip = 1 << 0,
  perf_has_tid = 1 << 1,
  perf_has_time = 1 << 2,
  perf_has_address = 1 << 3,
  perf_has_read = 1 << 4,
  perf_has_callchain = 1 << 5,
  perf_has_id = 1 << 6,
  perf_has_cpu = 1 << 7,
  perf_has_period = 1 << 8,
  perf_has_stream_id = 1 << 9,
  perf_has_raw = 1 << 10,
  perf_has_branches = 1 << 11,
  perf_has_registers = 1 << 12,
  perf_has_stack = 1 << 13,
  perf_has_identifier = 1 << 16,
};

// PERF_CONTEXT_: entries of a call chain that are no addresses, but name the space of the next
// ones.
constexpr uint64_t perf_context_most = static_cast<uint64_t>(-4095);
constexpr uint64_t perf_context_kernel = static_cast<uint64_t>(-128);
constexpr uint64_t perf_context_user = static_cast<uint64_t>(-512);
constexpr uint64_t perf_context_guest = static_cast<uint64_t>(-2048);

struct PerfEvent {
  std::string name = {};  // "cpu-clock", "cycles:u"; empty: unknown
  uint32_t type = 0;      // PERF_TYPE_SOFTWARE 1
  uint64_t config = 0;
  uint64_t period = 0;  // of each sample that has none; 0: unknown
  uint64_t sample_type = 0;
  uint64_t read_format = 0;
  uint64_t branch_type = 0;     // PERF_SAMPLE_BRANCH_
  uint64_t user_registers = 0;  // those of a sample, a bit each in the kernel's order
  bool has_ids = false;         // sample_id_all: records other than samples have a time
  // What perf record --off-cpu writes, and skein profile --off-cpu: each sample is a wait.
  bool is_off_cpu() const { return type == 1 && config == 10; }
  // cpu-clock, task-clock, and waits
  bool counts_ns() const { return (type == 1 && config <= 1) || is_off_cpu(); }

  // Of a perf_event_attr. False: it is too short.
  bool read(std::span<const uint8_t> attribute);
};

// What a record of any type has, if its type has it.
struct PerfRecord {
  enum class Type : uint8_t { Mapping, Name, Fork, Exit, Sample, Lost, Switch };
  Type type = Type::Sample;
  uint32_t event = 0;  // of PerfFile::events()
  uint32_t pid = 0;
  uint32_t tid = 0;
  uint32_t cpu = 0;  // of a sample or Switch
  uint64_t time = 0;
  uint8_t mode = 0;  // of a sample: 1 kernel, 2 user, 3 hypervisor, 4 guest's kernel, 5 its user

  // Mapping
  uint64_t begin = 0;
  uint64_t size = 0;
  uint64_t offset = 0;                     // in the file
  std::string_view text = {};              // the file; of Name: that of the thread
  std::span<const uint8_t> build_id = {};  // of the file; empty: not recorded
  bool is_exec = false;                    // of Name: the process has become another program

  uint32_t parent = 0;  // of Fork: the process that had forked
  uint32_t parent_thread = 0;

  uint64_t address = 0;  // of the sample
  uint64_t period = 1;
  std::span<const uint8_t> chain = {};  // addresses of 8 bytes, the innermost first, and contexts
  // What --call-graph dwarf copies: the registers of the user's code, and the stack from rsp on.
  UnwindRegisters registers = {};
  std::span<const uint8_t> stack = {};
  std::span<const uint8_t> raw = {};  // PERF_SAMPLE_RAW

  uint64_t lost = 0;

  bool is_out = false;        // of Switch: the thread leaves its CPU; else it gets one
  bool is_preempted = false;  // of one that leaves: it could have gone on
};

// Of one record with its header. False: its type is not one of the above, or it is cut short.
// Mappings that are not executable are left out.
bool parse_perf_record(std::span<const uint8_t> record, const PerfEvent& event, PerfRecord& parsed);

// The time of a record; 0: it has none. O(1).
uint64_t perf_record_time(std::span<const uint8_t> record, const PerfEvent& event);

// The number of words behind a record other than a sample, of an event that has sample_id_all: all,
// and those before the time and the event's id.
struct PerfTrailer {
  size_t words = 0;
  size_t before_time = 0;
  size_t before_id = 0;
};
PerfTrailer perf_trailer(uint64_t sample_type);

// PERF_RECORD_: types of records.
enum : uint32_t {
  perf_record_mmap = 1,
  perf_record_lost = 2,
  perf_record_comm = 3,
  perf_record_exit = 4,
  perf_record_throttle = 5,
  perf_record_fork = 7,
  perf_record_sample = 9,
  perf_record_mmap2 = 10,
  perf_record_lost_samples = 13,
  perf_record_switch = 14,
  perf_record_switch_cpu_wide = 15,
};
struct PerfRecordHeader {
  uint32_t type = 0;
  uint16_t misc = 0;
  uint16_t size = 0;  // of the record with this header
};
constexpr size_t perf_header_size = 8;

// Precondition: `bytes` has a header's size.
PerfRecordHeader perf_record_header(std::span<const uint8_t> bytes);

}  // namespace skein
