#include "trace/read/ctf/stream.h"

#include <algorithm>

#include "base/cursor.h"

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

bool Stream::peek(Context& context) {
  while (true) {
    while (rest_.empty()) {
      if (next_packet_ == packets_.size()) return false;
      begin_packet(context);
    }
    if (!decode(rest_, last_, wire_)) [[unlikely]] {
      const bool known = event_layouts[wire_.id].layout != Layout::Unknown;
      damaged(context, known ? "event cut short" : "event of unknown number");
    } else if (wire_.ticks > bound_) [[unlikely]] {
      damaged(context, "event later than the packet after it");
    } else if (wire_.event == format::k_create && wire_.a == 0) [[unlikely]] {
      damaged(context, "zeros instead of an event");
    } else {
      ticks_ = std::max(ticks_, wire_.ticks);
      return true;
    }
  }
}

bool Stream::run(Context& context, uint64_t limit) {
  do {
    append(context);
    last_ = wire_.ticks;
    rest_ = rest_.subspan(wire_.size);
    if (!peek(context)) return false;
  } while (ticks_ <= limit);
  return true;
}

void Stream::append(Context& context) {
  Trace& trace = context.trace;
  const Names& names = context.names;
  const uint64_t a = wire_.a;
  const uint64_t b = wire_.b;
  const TaskId current = task_or_none(current_);
  context.counts[wire_.id]++;
  EventRow row{.task = current, .executor = executor_};
  if (wire_.ticks < ticks_) [[unlikely]]
    row.flags |= flag::time_guessed;
  row.time = context.scale.ns(ticks_ - context.start);
  const auto at_place = [&](uint64_t id) { row.location = names.place(id).location; };

  switch (wire_.event) {
    case format::k_create:
      row.kind = EventKind::Create;
      row.task = a;
      row.other = current;
      row.value = names.place(b).kind;
      row.text = names.place(b).name;
      at_place(b);
      break;
    case format::k_suspend:
      row.kind = EventKind::Suspend;
      row.other = task_or_none(a);
      row.value = !context.resources.empty() && context.resources.contains(a);
      at_place(b);
      current_ = 0;
      break;
    case format::k_ready:
      row.kind = EventKind::Ready;
      row.other = task_or_none(a);
      at_place(b);
      break;
    case format::k_label:
      row.kind = EventKind::Label;
      if (a != 0) row.task = a;
      row.text = names.text(b);
      break;
    case format::k_counter_add:
    case format::k_counter_set:
      row.kind =
          wire_.event == format::k_counter_add ? EventKind::CounterAdd : EventKind::CounterSet;
      row.text = names.text(a);
      row.value = b;
      break;
    case format::k_notify:
      row.kind = EventKind::Notify;
      row.task = task_or_none(a);
      row.other = current;
      row.value = b;
      break;
    case format::k_resume_by:
      row.kind = EventKind::Resume;
      row.task = task_or_none(a);
      row.other = task_or_none(b);
      current_ = a;
      break;
    case format::k_fail:
      row.kind = EventKind::Fail;
      row.task = task_or_none(a);
      row.other = current;
      row.text = names.text(b);
      end_current(a);
      break;
    case format::k_become:
      row.kind = EventKind::Become;
      row.task = task_or_none(a);
      row.other = task_or_none(b);
      end_current(a);
      break;
    case format::k_acquire:
    case format::k_release:
      row.kind = wire_.event == format::k_acquire ? EventKind::Acquire : EventKind::Release;
      if (b != 0) row.task = b;
      row.other = task_or_none(a);
      context.resources.insert(a);
      break;
    case format::k_span_begin:
      row.kind = EventKind::SpanBegin;
      row.value = a;
      row.text = names.text(b);
      context.spans[a] = row.text;
      break;
    case format::k_span_end: {
      row.kind = EventKind::SpanEnd;
      row.value = a;
      const auto span = context.spans.find(a);
      if (span != context.spans.end()) {
        row.text = span->second;
        context.spans.erase(span);
      }
      break;
    }
    case format::k_pause:
      row.kind = EventKind::Pause;
      row.task = no_task;
      row.value = context.scale.ns(b);
      row.text = trace.strings.intern(name_of(format::kPauses, a));
      break;
    case format::k_executor:
      executor_ = executor(context, a, names.text(b));
      row.kind = EventKind::ExecutorBegin;
      row.task = no_task;
      row.executor = executor_;
      row.value = a;
      row.text = names.text(b);
      break;
    case format::k_executor_end:
      row.kind = EventKind::ExecutorEnd;
      row.task = no_task;
      row.value = a;
      break;
    case format::k_lost:
      row.kind = EventKind::Lost;
      row.task = no_task;
      row.value = a;
      row.text = trace.strings.intern(name_of(format::kLosses, b));
      break;
    case format::k_resource:
      row.kind = EventKind::Resource;
      row.other = task_or_none(a);
      row.value = names.place(b).kind;
      row.text = names.place(b).name;
      at_place(b);
      context.resources.insert(a);
      break;
    case format::k_capacity:
      row.kind = EventKind::Capacity;
      row.task = no_task;
      row.other = task_or_none(a);
      row.value = b;
      context.resources.insert(a);
      break;
    case format::k_scope_enter:
      row.kind = EventKind::ScopeEnter;
      row.other = task_or_none(a);
      row.text = names.place(b).name;
      at_place(b);
      break;
    case format::k_scope_exit:
      row.kind = EventKind::ScopeExit;
      row.other = task_or_none(a);
      break;
    case format::k_scope_cancel:
      row.kind = EventKind::ScopeCancel;
      row.other = task_or_none(a);
      break;
    case format::k_scope_member:
      row.kind = EventKind::ScopeMember;
      if (b != 0) row.task = b;
      row.other = task_or_none(a);
      break;
    case format::k_await:
      row.kind = EventKind::Await;
      row.task = task_or_none(a);
      row.other = task_or_none(b);
      row.value = !context.resources.empty() && context.resources.contains(b);
      break;
    case format::k_io:
      row.kind = EventKind::Io;
      row.other = task_or_none(a);
      row.value = b;
      break;
    case format::k_resume:
      row.kind = EventKind::Resume;
      row.task = task_or_none(a);
      row.other = current;
      current_ = a;
      break;
    case format::k_switch_to:
      row.kind = EventKind::SwitchTo;
      row.task = task_or_none(a);
      current_ = a;
      break;
    case format::k_resolve:
      row.kind = EventKind::Resolve;
      row.task = task_or_none(a);
      row.other = current;
      end_current(a);
      break;
    case format::k_cancel:
      row.kind = EventKind::Cancel;
      row.task = task_or_none(a);
      row.other = current;
      end_current(a);
      break;
    case format::k_should_resolve:
      row.kind = EventKind::ShouldResolve;
      if (a != 0) row.task = a;
      break;
    case format::k_idle:
    case format::k_wake:
      row.kind = wire_.event == format::k_idle ? EventKind::Idle : EventKind::Wake;
      row.task = no_task;
      row.text = names.text(a);
      break;
    case format::k_sample:
      row.kind = EventKind::Sample;
      row.value = a;
      break;
    default:
      return append_fixed(context, row);
  }
  trace.events.append(row);
}

void Stream::append_fixed(Context& context, EventRow& row) {
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
      return;  // a definition out of its stream: counted, and no event of the model
  }
  trace.events.append(row);
}

}  // namespace skein::ctf
