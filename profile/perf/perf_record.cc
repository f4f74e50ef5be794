#include "profile/perf/perf_record.h"

#include <algorithm>
#include <array>
#include <bit>

#include "base/cursor.h"

namespace skein {

namespace {

// PERF_RECORD_MISC_: bits of a record's header.
constexpr uint16_t misc_switch_out = 1 << 13, misc_switch_preempted = 1 << 14;
constexpr uint16_t misc_mode = 7, misc_comm_exec = 1 << 13, misc_mmap_data = 1 << 13,
                   misc_mmap_build_id = 1 << 14;

// PERF_FORMAT_: bits of read_format.
enum : uint64_t {
  format_enabled = 1 << 0,
  format_running = 1 << 1,
  format_id = 1 << 2,
  format_group = 1 << 3,
  format_lost = 1 << 4,
};

// DWARF's numbers of the registers in the kernel's order (arch/x86/include/uapi/asm/perf_regs.h);
// no register of a call frame: none.
constexpr uint8_t none = 0xff;
constexpr std::array<uint8_t, 24> dwarf_registers{0,  3,    2,    1,    4,    5,    6,    7,
                                                  16, none, none, none, none, none, none, none,
                                                  8,  9,    10,   11,   12,   13,   14,   15};

uint64_t u64_at(std::span<const uint8_t> bytes, size_t at) {
  return at <= bytes.size() && bytes.size() - at >= 8 ? Cursor(bytes.subspan(at)).u64() : 0;
}

// PERF_COUNT_SW_ and PERF_COUNT_HW_, as `perf list` prints them.
std::string_view usual_name(uint32_t type, uint64_t config) {
  constexpr std::array<std::string_view, 10> hardware{"cycles",
                                                      "instructions",
                                                      "cache-references",
                                                      "cache-misses",
                                                      "branches",
                                                      "branch-misses",
                                                      "bus-cycles",
                                                      "stalled-cycles-frontend",
                                                      "stalled-cycles-backend",
                                                      "ref-cycles"};
  constexpr std::array<std::string_view, 11> software{
      "cpu-clock",    "task-clock",   "page-faults",      "context-switches", "cpu-migrations",
      "minor-faults", "major-faults", "alignment-faults", "emulation-faults",
      "dummy",        "offcpu-time"};
  if (type == 0 && config < hardware.size()) return hardware[config];
  if (type == 1 && config < software.size()) return software[config];
  return {};
}

// Up to the NUL, which pads it.
std::string_view text_of(std::span<const uint8_t> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return text.substr(0, text.find('\0'));
}

// The 64-bit registers of a sample in the user's code; none of a thread of the kernel.
void parse_registers(Cursor& cursor, const PerfEvent& event, UnwindRegisters& registers) {
  constexpr uint64_t abi_64 = 2;
  const uint64_t abi = cursor.u64();
  if (abi == 0) return;
  for (uint64_t rest = event.user_registers; rest != 0; rest &= rest - 1) {
    const auto number = static_cast<size_t>(std::countr_zero(rest));
    const uint64_t value = cursor.u64();
    if (abi == abi_64 && number < dwarf_registers.size() && dwarf_registers[number] != none)
      registers.set(dwarf_registers[number], value);
  }
}

bool parse_sample(std::span<const uint8_t> body, const PerfEvent& event, PerfRecord& record) {
  const uint64_t type = event.sample_type;
  Cursor cursor(body);
  if (type & perf_has_identifier) cursor.u64();
  if (type & perf_has_ip) record.address = cursor.u64();
  if (type & perf_has_tid) {
    record.pid = cursor.u32();
    record.tid = cursor.u32();
  }
  if (type & perf_has_time) record.time = cursor.u64();
  for (const uint64_t one : {perf_has_address, perf_has_id, perf_has_stream_id})
    if (type & one) cursor.u64();
  if (type & perf_has_cpu) {
    record.cpu = cursor.u32();
    cursor.u32();
  }
  if (type & perf_has_period)
    record.period = cursor.u64();
  else
    record.period = event.period == 0 ? 1 : event.period;
  if (type & perf_has_read) {
    const uint64_t format = event.read_format;
    const size_t each = 8 * (1 + ((format & format_id) != 0) + ((format & format_lost) != 0));
    const size_t times =
        8 * (size_t{(format & format_enabled) != 0} + ((format & format_running) != 0));
    if (format & format_group) {
      const uint64_t count = cursor.u64();
      cursor.skip(times);
      if (count > cursor.remaining() / each) return false;
      cursor.skip(count * each);
    } else {
      cursor.skip(times + each);
    }
  }
  if (type & perf_has_callchain) {
    const uint64_t count = cursor.u64();
    if (count > cursor.remaining() / 8) return false;
    record.chain = cursor.bytes(count * 8);
  }
  if (type & perf_has_raw) record.raw = cursor.bytes(cursor.u32());
  if (type & perf_has_branches) {
    constexpr uint64_t has_hardware_index = 1 << 17;  // PERF_SAMPLE_BRANCH_HW_INDEX
    const uint64_t count = cursor.u64();
    if (event.branch_type & has_hardware_index) cursor.u64();
    if (count > cursor.remaining() / 24) return false;
    cursor.skip(count * 24);
  }
  if (type & perf_has_registers) parse_registers(cursor, event, record.registers);
  if (type & perf_has_stack) {
    const uint64_t size = cursor.u64();
    if (size > cursor.remaining()) return false;
    record.stack = cursor.bytes(size);
    if (size != 0) {
      const uint64_t used = cursor.u64();  // what the thread has behind rsp may be less
      record.stack = record.stack.first(std::min<uint64_t>(used, size));
    }
  }
  return !cursor.failed();
}

}  // namespace

bool PerfEvent::read(std::span<const uint8_t> attribute) {
  Cursor cursor(attribute);
  type = cursor.u32();
  cursor.u32();  // its size
  config = cursor.u64();
  period = cursor.u64();
  sample_type = cursor.u64();
  read_format = cursor.u64();
  const uint64_t flags = cursor.u64();
  if (cursor.failed()) return false;
  branch_type = u64_at(attribute, 72);
  user_registers = u64_at(attribute, 80);
  if (flags & uint64_t{1} << 10) period = 0;  // it is a frequency
  has_ids = (flags & uint64_t{1} << 18) != 0;
  name = usual_name(type, config);
  return true;
}

PerfRecordHeader perf_record_header(std::span<const uint8_t> bytes) {
  Cursor cursor(bytes);
  return {.type = cursor.u32(), .misc = cursor.u16(), .size = cursor.u16()};
}

PerfTrailer perf_trailer(uint64_t sample_type) {
  PerfTrailer trailer;
  if (sample_type & perf_has_tid) trailer.words++;
  trailer.before_time = trailer.words;
  if (sample_type & perf_has_time) trailer.words++;
  trailer.before_id = trailer.words;
  for (const uint64_t one : {perf_has_id, perf_has_stream_id, perf_has_cpu, perf_has_identifier})
    if (sample_type & one) trailer.words++;
  return trailer;
}

uint64_t perf_record_time(std::span<const uint8_t> record, const PerfEvent& event) {
  if ((event.sample_type & perf_has_time) == 0) return 0;
  const auto body = record.subspan(perf_header_size);
  if (perf_record_header(record).type == perf_record_sample) {
    size_t at = 0;
    for (const uint64_t one : {perf_has_identifier, perf_has_ip, perf_has_tid})
      if (event.sample_type & one) at += 8;
    return u64_at(body, at);
  }
  if (!event.has_ids) return 0;
  const PerfTrailer trailer = perf_trailer(event.sample_type);
  if (body.size() / 8 < trailer.words) return 0;
  return u64_at(body, body.size() - (trailer.words - trailer.before_time) * 8);
}

bool parse_perf_record(std::span<const uint8_t> bytes, const PerfEvent& event, PerfRecord& record) {
  const PerfRecordHeader header = perf_record_header(bytes);
  const auto body = bytes.subspan(perf_header_size);
  record.time = perf_record_time(bytes, event);
  Cursor cursor(body);
  switch (header.type) {
    case perf_record_mmap:
    case perf_record_mmap2:
      if (header.type == perf_record_mmap && header.misc & misc_mmap_data) return false;
      record.type = PerfRecord::Type::Mapping;
      record.pid = cursor.u32();
      record.tid = cursor.u32();
      record.begin = cursor.u64();
      record.size = cursor.u64();
      record.offset = cursor.u64();
      if (header.type == perf_record_mmap2) {
        const auto identity = cursor.bytes(24);  // device and inode, or size and build id
        if (header.misc & misc_mmap_build_id && identity.size() == 24)
          record.build_id = identity.subspan(4, std::min<size_t>(identity[0], 20));
        const uint32_t protection = cursor.u32();
        cursor.u32();
        if ((protection & 4) == 0) return false;  // not executable
      }
      break;
    case perf_record_comm:
      record.type = PerfRecord::Type::Name;
      record.is_exec = (header.misc & misc_comm_exec) != 0;
      record.pid = cursor.u32();
      record.tid = cursor.u32();
      break;
    case perf_record_fork:
    case perf_record_exit:
      record.type =
          header.type == perf_record_fork ? PerfRecord::Type::Fork : PerfRecord::Type::Exit;
      record.pid = cursor.u32();
      record.parent = cursor.u32();
      record.tid = cursor.u32();
      record.parent_thread = cursor.u32();
      return !cursor.failed();
    case perf_record_lost:
      record.type = PerfRecord::Type::Lost;
      cursor.u64();  // the event's id
      record.lost = cursor.u64();
      return !cursor.failed();
    case perf_record_lost_samples:
      record.type = PerfRecord::Type::Lost;
      record.lost = cursor.u64();
      return !cursor.failed();
    case perf_record_switch:
    case perf_record_switch_cpu_wide: {
      const PerfTrailer trailer = perf_trailer(event.sample_type);
      if (!event.has_ids || (event.sample_type & perf_has_tid) == 0 ||
          body.size() < trailer.words * 8)
        return false;
      Cursor of_thread(body.subspan(body.size() - trailer.words * 8));
      record.type = PerfRecord::Type::Switch;
      record.pid = of_thread.u32();
      record.tid = of_thread.u32();
      if (event.sample_type & perf_has_cpu) {
        size_t at = 0;
        for (const uint64_t one : {perf_has_tid, perf_has_time, perf_has_id, perf_has_stream_id})
          if (event.sample_type & one) at += 8;
        record.cpu = static_cast<uint32_t>(u64_at(body, body.size() - trailer.words * 8 + at));
      }
      record.is_out = (header.misc & misc_switch_out) != 0;
      record.is_preempted = (header.misc & misc_switch_preempted) != 0;
      return true;
    }
    case perf_record_sample:
      record.type = PerfRecord::Type::Sample;
      record.mode = header.misc & misc_mode;
      return parse_sample(body, event, record);
    default:
      return false;
  }
  if (cursor.failed()) return false;
  record.text = text_of(body.subspan(body.size() - cursor.remaining()));
  return true;
}

}  // namespace skein
