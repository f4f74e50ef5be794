#include "profile/sched/sched_record.h"

#include <linux/perf_event.h>

#include <charconv>

#include "base/cursor.h"

namespace skein {

namespace {

// Numbers of threads that this process cannot see.
uint32_t visible(uint32_t number) { return number == UINT32_MAX ? 0 : number; }

// What every record but a sample ends with: the thread, its time and its CPU.
constexpr size_t trailer_size = 24;

void read_trailer(std::span<const uint8_t> record, SchedRecord& read) {
  Cursor fields(record.last(trailer_size));
  read.pid = visible(fields.u32());
  read.tid = visible(fields.u32());
  read.time = fields.u64();
  read.cpu = fields.u32() + 1;
}

std::optional<SchedRecord> decode_waking(Cursor fields, const WakingLayout& waking) {
  SchedRecord read{.kind = SchedRecord::Kind::Woken};
  fields.u32();  // of the waking thread
  read.other = visible(fields.u32());
  read.time = fields.u64();
  fields.u64();  // its CPU is not that of the woken thread
  Cursor raw(fields.bytes(fields.u32()));
  raw.skip(waking.thread);
  read.tid = visible(raw.u32());
  if (fields.failed() || raw.failed()) return {};
  return read;
}

}  // namespace

std::optional<WakingLayout> read_waking_format(std::string_view text) {
  constexpr std::string_view field = "field:pid_t pid;", offset = "offset:";
  const size_t line = text.find(field);
  if (line == text.npos) return {};
  text.remove_prefix(line);
  text = text.substr(0, text.find('\n'));
  const size_t at = text.find(offset);
  if (at == text.npos) return {};
  WakingLayout layout;
  const char* const begin = text.data() + at + offset.size();
  if (std::from_chars(begin, text.data() + text.size(), layout.thread).ec != std::errc()) return {};
  return layout;
}

std::optional<SchedRecord> decode_sched_record(std::span<const uint8_t> record,
                                               const WakingLayout& waking) {
  using Kind = SchedRecord::Kind;
  Cursor fields(record);
  const uint32_t type = fields.u32();
  const uint16_t misc = fields.u16();
  fields.u16();
  if (fields.failed()) return {};
  if (type == PERF_RECORD_SAMPLE) return decode_waking(fields, waking);
  if (fields.remaining() < trailer_size) return {};
  SchedRecord read;
  read_trailer(record, read);
  Cursor body(record.first(record.size() - trailer_size).subspan(sizeof(perf_event_header)));
  switch (type) {
    case PERF_RECORD_SWITCH:
    case PERF_RECORD_SWITCH_CPU_WIDE:
      read.kind = (misc & PERF_RECORD_MISC_SWITCH_OUT) == 0           ? Kind::In
                  : (misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT) != 0 ? Kind::Preempted
                                                                      : Kind::Blocked;
      if (type == PERF_RECORD_SWITCH_CPU_WIDE && read.kind != Kind::In) {
        body.u32();
        read.other = visible(body.u32());
      }
      break;
    case PERF_RECORD_COMM:
      read.kind = Kind::Named;
      read.pid = visible(body.u32());
      read.tid = visible(body.u32());
      read.name = body.text();
      break;
    case PERF_RECORD_FORK:
    case PERF_RECORD_EXIT:
      read.kind = type == PERF_RECORD_FORK ? Kind::Started : Kind::Ended;
      read.pid = visible(body.u32());
      body.u32();
      read.tid = visible(body.u32());
      read.other = visible(body.u32());
      break;
    case PERF_RECORD_LOST:
      read.kind = Kind::Lost;
      body.u64();
      read.lost = body.u64();
      break;
    default:
      return {};
  }
  if (body.failed()) return {};
  return read;
}

}  // namespace skein
