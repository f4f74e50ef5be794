#include "trace/read/ctf/stream.h"

#include <algorithm>

#include "base/cursor.h"
#include "trace/read/ctf/meaning.h"

namespace skein::ctf {

namespace {

TaskId task_or_none(uint64_t id) { return id == 0 ? no_task : id; }

template <size_t count>
std::string_view name_of(const format::NamedNumber (&names)[count], uint64_t number) {
  for (const format::NamedNumber& entry : names)
    if (entry.number == number) return entry.name;
  return "unknown";
}

}  // namespace

void Stream::prepare(std::vector<Loss>& losses) {
  // Of two copies of a packet the one with more in it counts.
  std::stable_sort(packets_.begin(), packets_.end(), [](const auto& a, const auto& b) {
    if (a.packet.header.sequence != b.packet.header.sequence)
      return a.packet.header.sequence < b.packet.header.sequence;
    return a.packet.content.size() > b.packet.content.size();
  });
  std::vector<StreamPacket> kept;
  for (const StreamPacket& next : packets_) {
    const PacketHeader& header = next.packet.header;
    if (!kept.empty() && kept.back().packet.header.sequence == header.sequence) {
      // A chunk that was never used is packet 0 without an event.
      if (!next.packet.content.empty())
        add_loss(losses, {.what = "packet that is there twice",
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
  rest_ = packet_->packet.content;
  last_ = header.begin;
  current_ = header.current_task;
  executor_ = executor(context, header.tid, 0);
  // The next packet's begin bounds this one's times, unless it is the damaged one.
  bound_ = UINT64_MAX;
  if (next_packet_ < packets_.size()) {
    const uint64_t next = packets_[next_packet_].packet.header.begin;
    if (next >= header.begin) bound_ = next;
  }
}

uint32_t Stream::executor(Context& context, uint64_t tid, StringId name) {
  auto& executors = context.trace.executors;
  const auto [found, added] = executors_.try_emplace(tid, static_cast<uint32_t>(executors.size()));
  if (added)
    executors.push_back({.name = name ? name : context.names.thread(tid),
                         .tid = tid,
                         .stream = static_cast<uint32_t>(number_)});
  else if (name && executors[found->second].name == 0)
    executors[found->second].name = name;
  return found->second;
}

void Stream::damaged(Context& context, std::string what) {
  const auto before = static_cast<uint64_t>(rest_.data() - packet_->packet.content.data());
  add_loss(context.trace.losses, {.what = std::move(what),
                                  .file = *packet_->file,
                                  .offset = packet_->packet.offset + packet_header_size + before,
                                  .bytes = rest_.size()});
  rest_ = {};
}

// In run() the event is in registers; reading it back from wire_ would wait for its stores.
[[gnu::always_inline]] inline bool Stream::peek(Context& context, Wire& wire) {
  if (!decode(rest_, last_, wire) || wire.ticks > bound_ ||
      (wire.event == format::k_create && wire.a == 0)) [[unlikely]] {
    if (!peek_slowly(context)) return false;
    wire = wire_;
    return true;
  }
  ticks_ = std::max(ticks_, wire.ticks);
  return true;
}

bool Stream::begin(Context& context) { return peek_slowly(context); }

bool Stream::peek_slowly(Context& context) {
  while (true) {
    while (rest_.empty()) {
      if (next_packet_ == packets_.size()) return false;
      begin_packet(context);
    }
    if (!decode(rest_, last_, wire_)) {
      const bool known = event_layouts[wire_.id].layout != Layout::Unknown;
      damaged(context, known ? "event cut short" : "event of unknown number");
    } else if (wire_.ticks > bound_) {
      damaged(context, "event later than the packet after it");
    } else if (wire_.event == format::k_create && wire_.a == 0) {
      damaged(context, "zeros instead of an event");
    } else {
      ticks_ = std::max(ticks_, wire_.ticks);
      return true;
    }
  }
}

[[gnu::always_inline]] inline void Stream::append(Context& context, const Wire& wire) {
  const Meaning& meaning = meanings[wire.event];
  const uint64_t a = wire.a;
  const uint64_t b = wire.b;
  const TaskId current = task_or_none(current_);
  const std::array<TaskId, whos> who = {no_task,         current,         task_or_none(a),
                                        task_or_none(b), a ? a : current, b ? b : current};
  const std::array<uint64_t, arguments> argument = {0, a, b};
  const std::array<uint64_t, afters> after = {current_, a, 0, current_ == a ? 0 : current_};
  const auto of = [](const auto& table, auto index) { return table[static_cast<size_t>(index)]; };

  context.counts[wire.id]++;
  const Place& place = context.names.place(of(argument, meaning.place));
  const uint32_t made = meaning.place_is_made;
  EventRow row{
      .time = context.scale.ns(ticks_ - context.start),
      .task = of(who, meaning.task),
      .other = of(who, meaning.other),
      .value = of(argument, meaning.value) + made * place.kind,
      .text = context.names.text(of(argument, meaning.text)) + made * place.name,
      .location = place.location,
      .executor = executor_,
      .kind = meaning.kind,
      .flags = wire.ticks < ticks_ ? flag::time_guessed : uint8_t{0},
  };
  current_ = of(after, meaning.after);
  if (meaning.special > (context.resources.empty() ? Special::OnResource : Special::No))
      [[unlikely]] {
    wire_ = wire;
    if (!append_special(context, row)) return;
  }
  context.trace.events.append(row);
}

bool Stream::run(Context& context, uint64_t limit) {
  Wire wire = wire_;
  do {
    append(context, wire);
    last_ = wire.ticks;
    rest_ = rest_.subspan(wire.size);
    if (!peek(context, wire)) return false;
  } while (ticks_ <= limit);
  wire_ = wire;
  return true;
}

// False: it is no event of the model.
bool Stream::append_special(Context& context, EventRow& row) {
  Trace& trace = context.trace;
  const uint64_t a = wire_.a;
  const uint64_t b = wire_.b;
  switch (wire_.event) {
    case format::k_suspend:
    case format::k_await:
      row.value = context.resources.contains(row.other);
      return true;
    case format::k_acquire:
    case format::k_release:
    case format::k_resource:
    case format::k_capacity:
      context.resources.insert(a);
      return true;
    case format::k_scope_enter:
      row.text = context.names.place(b).name;
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
    case format::k_lost:
      row.text = trace.strings.intern(name_of(format::kLosses, b));
      return true;
    default:
      return append_fixed(context, row);
  }
}

bool Stream::append_fixed(Context& context, EventRow& row) {
  Trace& trace = context.trace;
  const size_t header =
      rest_[0] == format::k_extended ? format::kExtendedHeaderSize : format::kHeaderSize;
  Cursor fields(rest_.subspan(header, wire_.size - header));
  switch (wire_.event) {
    case format::k_label_text: {
      row.kind = EventKind::Label;
      if (const uint64_t task = fields.u64(); task != 0) row.task = task;
      row.text = trace.strings.intern(fields.text());
      break;
    }
    case format::k_create_under:
      row.kind = EventKind::Create;
      row.other = task_or_none(fields.u64());
      row.task = task_or_none(fields.u64());
      {
        const Place& place = context.names.place(fields.u32());
        row.value = place.kind;
        row.text = place.name;
        row.location = place.location;
      }
      break;
    case format::k_send:
    case format::k_receive:
      row.kind = wire_.event == format::k_send ? EventKind::Send : EventKind::Receive;
      row.value = fields.u64();
      row.other = fields.u64();
      break;
    case format::k_clock:
      row.kind = EventKind::Clock;
      row.task = no_task;
      row.other = fields.u32();
      row.value = fields.u64();
      break;
    case format::k_fail_text: {
      row.kind = EventKind::Fail;
      row.other = row.task;
      const uint64_t task = fields.u64();
      row.task = task_or_none(task);
      row.text = trace.strings.intern(fields.text());
      end_current(task);
      break;
    }
    default:
      return false;  // a definition out of its stream: counted, and no event of the model
  }
  return true;
}

}  // namespace skein::ctf
