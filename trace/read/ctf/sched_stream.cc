#include "trace/read/ctf/sched_stream.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "base/cursor.h"
#include "base/stable_sort.h"
#include "trace/read/ctf/wire.h"

namespace skein::ctf {

namespace {

void read_packet(const StreamPacket& next, uint64_t until, Context& context) {
  Trace& trace = context.trace;
  std::span<const uint8_t> rest = next.packet.content;
  uint64_t last = next.packet.header.begin;
  while (!rest.empty()) {
    Wire wire;
    if (!decode(rest, last, wire) || wire.event != format::k_thread_state) {
      const size_t before = next.packet.content.size() - rest.size();
      add_loss(trace.losses, {.what = "no event of the scheduler",
                              .file = *next.file,
                              .offset = next.packet.offset + packet_header_size + before,
                              .bytes = rest.size()});
      return;
    }
    last = wire.ticks;
    const size_t head =
        rest[0] == format::k_extended ? format::kExtendedHeaderSize : format::kHeaderSize;
    Cursor fields(rest.first(wire.size).subspan(head));
    rest = rest.subspan(wire.size);
    if (wire.ticks > until) return;
    ThreadStateChange change;
    change.time = wire.ticks > context.start ? context.scale.ns(wire.ticks - context.start) : 0;
    change.tid = fields.u32();
    const uint32_t state = fields.u32();
    change.other = fields.u32();
    change.cpu = fields.u32();
    const std::string_view text = fields.text();
    context.definitions[format::k_thread_state]++;
    if (state >= thread_states) continue;  // of a newer skein
    change.state = static_cast<ThreadState>(state);
    if (change.state == ThreadState::Stack) change.other = context.stack(change.other);
    if (text != "-") change.text = trace.strings.intern(text);
    // Packets overlap only if they are damaged.
    if (!trace.thread_states.empty())
      change.time = std::max(change.time, trace.thread_states.back().time);
    trace.thread_states.push_back(change);
  }
}

}  // namespace

void read_sched(std::vector<StreamPacket>& packets, uint64_t until, Context& context) {
  Trace& trace = context.trace;
  stable_sort_by(packets, [](const auto& next) { return next.packet.header.sequence; });
  uint64_t discarded = 0;
  for (const StreamPacket& next : packets) {
    const PacketHeader& header = next.packet.header;
    if (header.discarded > discarded) {
      add_loss(trace.losses, {.what = "context switches lost",
                              .file = *next.file,
                              .offset = next.packet.offset,
                              .bytes = 0,
                              .packets = 0,
                              .events = header.discarded - discarded});
      discarded = header.discarded;
    }
    if (next.packet.missing > 0)
      add_loss(trace.losses, {.what = "file shorter than its packet",
                              .file = *next.file,
                              .offset = next.packet.offset,
                              .bytes = next.packet.missing});
    trace.info.packets++;
    read_packet(next, until, context);
  }
}

}  // namespace skein::ctf
