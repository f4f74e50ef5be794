#include "trace/read/ctf/stream.h"

#include <algorithm>
#include <utility>

#include "base/cursor.h"
#include "base/stable_sort.h"
#include "base/type_name.h"
#include "trace/read/connection.h"
#include "trace/read/ctf/event_table.h"

namespace skein::ctf {

namespace {

// Branch-free: whether there is a task is unpredictable.
uint64_t if_zero(uint64_t number, uint64_t other) {
  return number | (other & (0 - static_cast<uint64_t>(number == 0)));
}
TaskId task_or_none(uint64_t id) { return if_zero(id, no_task); }

template <size_t count>
std::string_view name_of(const format::NamedNumber (&names)[count], uint64_t number) {
  for (const format::NamedNumber& entry : names)
    if (entry.number == number) return entry.name;
  return "unknown";
}

// The text of a failure. skein/coroutine.h records the mangled name of an exception's type: a
// demangler in the program would allocate and use much of a small stack.
std::string readable_reason(std::string_view reason) {
  constexpr std::string_view before = "an exception of type ";
  std::string text(reason);
  if (!reason.starts_with(before)) return text;
  const std::string type = demangled_type(reason.substr(before.size()));
  if (!type.empty()) text.replace(before.size(), std::string::npos, type);
  return text;
}

}  // namespace

void Stream::prepare(std::vector<Loss>& losses) {
  // Of two copies of a packet, the one with more content is used.
  stable_sort(packets_, [](const auto& a, const auto& b) {
    if (a.packet.header.sequence != b.packet.header.sequence)
      return a.packet.header.sequence < b.packet.header.sequence;
    return a.packet.content.size() > b.packet.content.size();
  });
  std::vector<StreamPacket> kept;
  for (const StreamPacket& next : packets_) {
    const PacketHeader& header = next.packet.header;
    if (!kept.empty() && kept.back().packet.header.sequence == header.sequence) {
      // An unused chunk is packet 0 without events.
      if (!next.packet.content.empty())
        add_loss(losses, {.what = "duplicate packet",
                          .file = *next.file,
                          .offset = next.packet.offset,
                          .bytes = next.packet.content.size(),
                          .packets = 1});
      continue;
    }
    if (next.packet.content.empty() && header.sequence == 0) continue;
    if (!kept.empty() && header.sequence - kept.back().packet.header.sequence > 1)
      add_loss(losses, {.what = "packets missing before this one",
                        .file = *next.file,
                        .offset = next.packet.offset,
                        .packets = header.sequence - kept.back().packet.header.sequence - 1});
    if (next.packet.missing > 0)
      add_loss(losses, {.what = "file shorter than its packet",
                        .file = *next.file,
                        .offset = next.packet.offset,
                        .bytes = next.packet.missing});
    kept.push_back(next);
  }
  packets_ = std::move(kept);
  if (packets_.empty()) return;
  const StreamPacket& last = packets_.back();
  if (last.packet.header.discarded > 0)
    add_loss(losses, {.what = "dropped by the recorder",
                      .file = *last.file,
                      .offset = last.packet.offset,
                      .bytes = 0,
                      .packets = 0,
                      .events = last.packet.header.discarded});
}

void Stream::begin_packet(Context& context) {
  packet_ = &packets_[next_packet_++];
  const PacketHeader& header = packet_->packet.header;
  at_.rest = packet_->packet.content;
  at_.last = header.begin;
  at_[Number::Current] = header.current_task;
  extra_.which = 0;
  // A thread's first packet begins before the thread records its id.
  Wire first;
  const bool says_tid =
      header.tid == 0 && decode(at_.rest, at_.last, first) && first.event == format::k_executor;
  executor_ = says_tid ? executor(context, first.a, definition(context.texts, first.b))
                       : executor(context, header.tid, 0);
  // The next packet's begin time limits this packet's times, unless the next packet is the damaged
  // one.
  bound_ = UINT64_MAX;
  if (next_packet_ < packets_.size()) {
    const uint64_t next = packets_[next_packet_].packet.header.begin;
    if (next >= header.begin) bound_ = next;
  }
}

uint32_t Stream::executor(Context& context, uint64_t tid, StringId name) {
  auto& executors = context.trace.executors;
  const auto stream_name = context.names.executor_of_stream(number_);
  if (stream_name && !executors_.empty()) return executors_.begin()->second;
  const auto [found, added] = executors_.try_emplace(tid, static_cast<uint32_t>(executors.size()));
  if (added)
    executors.push_back({.name = stream_name ? *stream_name
                                 : name      ? name
                                             : context.names.thread(tid),
                         .tid = tid,
                         .stream = static_cast<uint32_t>(number_)});
  else if (name && executors[found->second].name == 0)
    executors[found->second].name = name;
  return found->second;
}

void Stream::damaged(Context& context, std::string what) {
  const auto before = static_cast<uint64_t>(at_.rest.data() - packet_->packet.content.data());
  add_loss(context.trace.losses, {.what = std::move(what),
                                  .file = *packet_->file,
                                  .offset = packet_->packet.offset + packet_header_size + before,
                                  .bytes = at_.rest.size()});
  at_.rest = {};
}

// Advances to the next model event or definition. Skips damage, ends of packets, and events that
// only add fields to the next one.
bool Stream::find_event(Context& context, Wire& wire) {
  while (true) {
    while (at_.rest.empty()) {
      if (next_packet_ == packets_.size()) return false;
      begin_packet(context);
    }
    if (!decode(at_.rest, at_.last, wire)) {
      const bool known = event_layouts[wire.id].layout != Layout::Unknown;
      damaged(context, known ? "event truncated" : "event with an unknown id");
    } else if (wire.ticks > bound_) {
      damaged(context, "event later than the packet after it");
    } else if (wire.event == format::k_create && wire.a == 0) {
      damaged(context, "zeros instead of an event");
    } else {
      at_.ticks = std::max(at_.ticks, wire.ticks);
      const bool is_at = wire.event == format::k_at;
      const bool is_extra = wire.event == format::k_extra &&
                            wire.a != static_cast<uint64_t>(format::ExtraField::kCurrent);
      if (!is_at && !is_extra) return true;
      const uint64_t field = is_at ? 0 : wire.a;
      if (field < extra_.number.size()) {
        extra_.number[field] = is_at ? wire.a : wire.b;
        extra_.which |= 1u << field;
      }
      at_.last = wire.ticks;
      at_.rest = at_.rest.subspan(wire.size);
    }
  }
}

bool Stream::begin(Context& context) {
  Wire wire;
  return find_event(context, wire);
}

// Builds the row from the tables; moves `at` past the event.
[[gnu::always_inline]] inline EventRow Stream::begin_row(const Context& context, Position& at,
                                                         const Wire& wire,
                                                         const Meaning& meaning) const {
  at[Number::A] = wire.a;
  at[Number::B] = wire.b;
  at[Number::NotA] = at[Number::Current] == wire.a ? 0 : at[Number::Current];
  const Place& place = definition(context.places, at[meaning.place]);
  const uint32_t made = meaning.place_is_made;
  const EventRow row{
      .time = context.scale.ns(at.ticks - context.start),
      .task = task_or_none(if_zero(at[meaning.task], at[meaning.or_task])),
      .other = task_or_none(at[meaning.other]),
      .value = at[meaning.value] + made * place.kind,
      .text = definition(context.texts, at[meaning.text]) + made * place.name,
      .location = place.location,
      .executor = executor_,
      .kind = meaning.kind,
      .flags = wire.ticks < at.ticks ? flag::time_guessed : uint8_t{0},
  };
  at[Number::Current] = at[meaning.after];
  at.last = wire.ticks;
  at.rest = at.rest.subspan(wire.size);
  return row;
}

// Precondition: no extra fields apply to the next event, or it is later than the limit.
bool Stream::run_fast_path(Context& context, uint64_t limit) {
  Position at = at_;
  while (true) {
    if (at.rest.size() >= fast_bytes) [[likely]] {
      const auto& [layout, meaning] = known_events[at.rest[0]];
      Wire wire;  // in registers, like `at`: neither is passed to a function that is not inlined
      if (decode_usual(at.rest.data(), layout, at.last, wire) && wire.ticks <= bound_ &&
          meaning.special <= context.usual) [[likely]] {
        at.ticks = std::max(at.ticks, wire.ticks);
        if (at.ticks > limit) break;
        context.trace.events.append(begin_row(context, at, wire, meaning));
        continue;
      }
    }
    at_ = at;
    if (!append_slow_path(context, limit)) return false;
    at = at_;
    if (at.ticks > limit) break;
  }
  at_ = at;
  return true;
}

void Stream::ExtraFields::add_to(EventRow& row, Context& context) const {
  const auto has_field = [&](size_t field) { return which >> field & 1; };
  if (row.location == 0 && has_field(0))
    row.location = definition(context.places, number[0]).location;
  if (has_field(1)) row.text = definition(context.texts, number[1]);
  if (has_field(2)) row.flags = static_cast<uint8_t>(number[2]);
  if (!has_field(3)) return;
  Trace& trace = context.trace;
  if (row.kind == EventKind::Sample)
    row.value = context.stack(number[3]);
  else if (row.kind == EventKind::Clock)
    trace.clock_readings[row.value].ahead = static_cast<int64_t>(number[3]);
  else
    row.value = number[3];
}

// Appends the next event unless it is later than the limit. Returns false if there is none.
bool Stream::append_slow_path(Context& context, uint64_t limit) {
  Wire wire;
  if (!find_event(context, wire)) return false;
  if (at_.ticks > limit) return true;
  const std::span<const uint8_t> bytes = at_.rest.first(wire.size);
  const Meaning& meaning = known_events[wire.id].meaning;
  EventRow row = begin_row(context, at_, wire, meaning);
  if (meaning.special == Special::No || complete(context, wire, bytes, row)) {
    const uint8_t own_flags = row.flags;
    if (extra_.which != 0) extra_.add_to(row, context);
    context.trace.events.append(row);
    if (wire.event == format::k_create_awaited)
      context.trace.events.append({.time = row.time,
                                   .task = row.other,
                                   .other = row.task,
                                   .value = context.resources.contains(row.task),
                                   .executor = row.executor,
                                   .kind = EventKind::Await,
                                   .flags = own_flags});
  } else {
    context.definitions[wire.id]++;
  }
  extra_.which = 0;
  if (!context.resources.empty()) context.usual = Special::No;
  return true;
}

// Completes an event that the table cannot express. Returns false if it is not an event of the
// model.
bool Stream::complete(Context& context, const Wire& wire, std::span<const uint8_t> bytes,
                      EventRow& row) {
  Trace& trace = context.trace;
  const uint64_t a = wire.a;
  const uint64_t b = wire.b;
  switch (wire.event) {
    case format::k_suspend:
    case format::k_ready:
      if (format::is_address_id(a)) {
        row.other = no_task;
        trace.awaited_objects.push_back({.event = trace.events.size(),
                                         .address = format::address_in(a),
                                         .type = definition(context.places, b).name});
      }
      if (wire.event == format::k_ready) return true;
      [[fallthrough]];
    case format::k_await:
      row.value = context.resources.contains(row.other);
      return true;
    case format::k_resource:
      if (format::is_object_kind(row.value)) return true;
      [[fallthrough]];
    case format::k_acquire:
    case format::k_release:
    case format::k_capacity:
      context.resources.insert(a);
      return true;
    case format::k_scope_enter:
      row.text = definition(context.places, b).name;
      return true;
    case format::k_span_begin:
      context.spans[a] = row.text;
      return true;
    case format::k_span_end:
      if (const auto span = context.spans.find(a); span != context.spans.end()) {
        row.text = span->second;
        context.spans.erase(span);
      }
      return true;
    case format::k_pause:
      row.value = context.scale.ns(b);
      row.text = trace.strings.intern(name_of(format::kPauses, a));
      return true;
    case format::k_executor:
      executor_ = executor(context, a, row.text);
      row.executor = executor_;
      return true;
    case format::k_sample:
      row.value = context.stack(a);
      return true;
    case format::k_lost:
      row.text = trace.strings.intern(name_of(format::kLosses, b));
      return true;
    default:
      return complete_fixed(context, wire, bytes, row);
  }
}

bool Stream::complete_fixed(Context& context, const Wire& wire, std::span<const uint8_t> bytes,
                            EventRow& row) {
  Trace& trace = context.trace;
  const size_t header =
      bytes[0] == format::k_extended ? format::kExtendedHeaderSize : format::kHeaderSize;
  Cursor fields(bytes.subspan(header));
  switch (wire.event) {
    case format::k_label_text: {
      row.kind = EventKind::Label;
      if (const uint64_t task = fields.u64(); task != 0) row.task = task;
      row.text = trace.strings.intern(fields.text());
      break;
    }
    case format::k_create_awaited:
    case format::k_create_under: {
      const bool is_short = wire.event == format::k_create_awaited;
      row.kind = EventKind::Create;
      row.other = task_or_none(is_short ? fields.u32() : fields.u64());
      row.task = task_or_none(is_short ? fields.u32() : fields.u64());
      {
        const Place& place = definition(context.places, fields.u32());
        row.value = place.kind;
        row.text = place.name;
        row.location = place.location;
      }
      break;
    }
    case format::k_send:
    case format::k_receive:
      row.kind = wire.event == format::k_send ? EventKind::Send : EventKind::Receive;
      row.value = fields.u64();
      row.other = fields.u64();
      break;
    case format::k_clock:
      row.kind = EventKind::Clock;
      row.task = no_task;
      row.value = trace.clock_readings.size();
      {
        ClockReading& reading = trace.clock_readings.emplace_back();
        reading.domain = fields.u32();
        reading.ahead = static_cast<int64_t>(fields.u64());
        reading.bracket = fields.u64();
      }
      break;
    case format::k_fail_text: {
      row.kind = EventKind::Fail;
      row.other = row.task;
      const uint64_t task = fields.u64();
      row.task = task_or_none(task);
      row.text = trace.strings.intern(readable_reason(fields.text()));
      if (at_[Number::Current] == task) at_[Number::Current] = 0;
      break;
    }
    case format::k_discard:
      row.kind = EventKind::Discard;
      row.task = task_or_none(fields.u64());
      break;
    case format::k_cancel_uses:
      row.kind = EventKind::CancelUses;
      row.other = task_or_none(fields.u64());
      break;
    case format::k_connection: {
      row.kind = EventKind::Connection;
      row.other = task_or_none(fields.u64());
      format::Connection c;
      c.net_namespace = fields.u64();
      c.local = {.high = fields.u64(), .low = fields.u64()};
      c.peer = {.high = fields.u64(), .low = fields.u64()};
      c.local.port = fields.u32();
      c.peer.port = fields.u32();
      c.protocol = fields.u32();
      c.descriptor = fields.u32();
      row.value = c.descriptor;
      row.text = trace.strings.intern(
          connection_text(c, trace.strings[definition(context.texts, fields.u32())]));
      break;
    }
    case format::k_expires: {
      row.kind = EventKind::Expires;
      const uint64_t ticks = fields.u64();
      row.value = ticks == UINT64_MAX ? unknown_value : context.scale.ns(ticks);
      break;
    }
    case format::k_cpu_time:
      trace.cpu_times.push_back({.time = row.time,
                                 .executor = executor_,
                                 .cpu = fields.u64(),
                                 .blocked = fields.u32(),
                                 .preempted = fields.u32()});
      return false;  // no event of the program
    case format::k_socket_bytes:
      trace.socket_bytes.push_back({.time = row.time,
                                    .executor = executor_,
                                    .socket = task_or_none(fields.u64()),
                                    .sent = fields.u64(),
                                    .received = fields.u64(),
                                    .unseen_sent = fields.u32(),
                                    .unseen_received = fields.u32(),
                                    .state = fields.u32()});
      return false;
    default:
      return false;  // a definition outside its stream
  }
  return true;
}

}  // namespace skein::ctf
