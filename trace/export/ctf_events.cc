#include "trace/export/ctf_events.h"

#include <array>

#include "trace/read/event_schema.h"
#include "trace/read/event_value.h"

namespace skein {

using ctf::StreamWriter;

enum class CtfArgument : uint8_t {
  None,
  Task,
  Other,
  Value,
  Duration,  // the value, in ticks
  Text,
  Place,
  NamedPlace,  // with the event's text as the name
  MadePlace,   // also with the event's kind
  PauseKind,
  LossReason,
};

namespace {

// The task that must be current for the copy's reader to restore the row's fields.
enum class Current : uint8_t {
  Any,
  Task,
  Other,
  NoneIfNoTask,  // an argument of 0 means the current task
};

struct Emission {
  format::EventId id = format::k_lost;
  CtfArgument a = CtfArgument::None;
  CtfArgument b = CtfArgument::None;
  Current current = Current::Any;
};

consteval std::array<Emission, event_kinds> make_emissions() {
  using enum format::EventId;
  using enum CtfArgument;
  using K = EventKind;
  std::array<Emission, event_kinds> all;
  const auto at = [&](EventKind kind) -> Emission& { return all[static_cast<size_t>(kind)]; };
  at(K::Create) = {k_create, Task, MadePlace};  // or create_under
  at(K::Resume) = {k_resume_by, Task, Other};
  at(K::SwitchTo) = {k_switch_to, Task};
  at(K::Suspend) = {k_suspend, Other, Place, Current::Task};
  at(K::Await) = {k_await, Task, Other};
  at(K::Ready) = {k_ready, Other, Place, Current::Task};
  at(K::TryRead) = {k_try_read, Task, Other};
  at(K::Resolve) = {k_resolve, Task, None, Current::Other};
  at(K::Fail) = {k_fail, Task, Text, Current::Other};
  at(K::Cancel) = {k_cancel, Task, None, Current::Other};
  at(K::Become) = {k_become, Task, Other};
  at(K::Notify) = {k_notify, Task, Value, Current::Other};
  at(K::Acquire) = {k_acquire, Other, Task, Current::NoneIfNoTask};
  at(K::Release) = {k_release, Other, Task, Current::NoneIfNoTask};
  at(K::Label) = {k_label, Task, Text, Current::NoneIfNoTask};
  at(K::ShouldResolve) = {k_should_resolve, Task, None, Current::NoneIfNoTask};
  at(K::CounterAdd) = {k_counter_add, Text, Value, Current::Task};
  at(K::CounterSet) = {k_counter_set, Text, Value, Current::Task};
  at(K::SpanBegin) = {k_span_begin, Value, Text, Current::Task};
  at(K::SpanEnd) = {k_span_end, Value, None, Current::Task};
  at(K::Idle) = {k_idle, Text};
  at(K::Wake) = {k_wake, Text};
  at(K::Pause) = {k_pause, PauseKind, Duration};
  at(K::Send) = {k_send, Value, None, Current::Task};        // two 64-bit fields
  at(K::Receive) = {k_receive, Value, None, Current::Task};  // the same
  at(K::Clock) = {k_clock, Value};                           // the fields of a ClockReading
  at(K::Sample) = {k_sample, Value, None, Current::Task};
  at(K::ExecutorBegin) = {k_executor, Value, Text};
  at(K::ExecutorEnd) = {k_executor_end, Value};
  at(K::Resource) = {k_resource, Other, MadePlace, Current::Task};
  at(K::Capacity) = {k_capacity, Other, Value};
  at(K::ScopeEnter) = {k_scope_enter, Other, NamedPlace, Current::Task};
  at(K::ScopeExit) = {k_scope_exit, Other, None, Current::Task};
  at(K::ScopeCancel) = {k_scope_cancel, Other, None, Current::Task};
  at(K::ScopeMember) = {k_scope_member, Other, Task, Current::NoneIfNoTask};
  at(K::Io) = {k_io, Other, Value, Current::Task};
  at(K::Lost) = {k_lost, Value, LossReason};
  at(K::About) = {k_about, Other, None, Current::Task};
  at(K::Expires) = {k_expires, Duration, None, Current::Task};      // one 64-bit field
  at(K::CancelUses) = {k_cancel_uses, Other, None, Current::Task};  // the same
  at(K::Connection) = {k_connection, Other, Text, Current::Task};   // the fields of a Connection
  at(K::Discard) = {k_discard, Task, None, Current::NoneIfNoTask};  // one 64-bit field
  return all;
}
constexpr std::array<Emission, event_kinds> emissions = make_emissions();

consteval bool every_kind_is_emitted() {
  for (const Emission& emission : emissions)
    if (emission.a == CtfArgument::None) return false;
  return true;
}
static_assert(every_kind_is_emitted(), "a row in make_emissions for each EventKind");

bool is_place(CtfArgument argument) {
  return argument == CtfArgument::Place || argument == CtfArgument::NamedPlace ||
         argument == CtfArgument::MadePlace;
}

bool carries_text(CtfArgument argument) {
  return argument == CtfArgument::Text || argument == CtfArgument::NamedPlace ||
         argument == CtfArgument::MadePlace;
}

// What a reader gets back for a name: "unknown" if the format's table does not have it.
std::string_view read_back(const auto& names, std::string_view name) {
  for (const format::NamedNumber& entry : names)
    if (name == entry.name) return name;
  return "unknown";
}

// Whether a reader takes `other` for a resource that tasks wait for.
bool is_waited_for(const EventRow& row) {
  if (row.kind == EventKind::Resource) return !format::is_object_kind(row.value);
  return row.kind != EventKind::About && row.kind != EventKind::CancelUses &&
         row.kind != EventKind::Connection;
}

}  // namespace

CtfEvents::CtfEvents(const Trace& trace, CtfNames& names, const CtfClock& clock, bool shift)
    : trace_(trace), names_(names), clock_(clock), shift_(shift) {}

uint64_t CtfEvents::argument(CtfArgument which, const EventRow& row) {
  switch (which) {
    case CtfArgument::None:
      return 0;
    case CtfArgument::Task:
      return id(row.task);
    case CtfArgument::Other:
      return id(row.other);
    case CtfArgument::Value:
      return row.kind == EventKind::Sample ? trace_.stacks.number(row.value) : row.value;
    case CtfArgument::Duration:
      return row.value == unknown_value ? row.value : clock_.ticks(row.value);
    case CtfArgument::Text:
      return names_.text(row.text);
    case CtfArgument::Place:
      return names_.place(row.location);
    case CtfArgument::NamedPlace:
      return names_.named_place(row.location, row.text);
    case CtfArgument::MadePlace:
      return names_.place_of_kind(row.location, row.value, row.text);
    case CtfArgument::PauseKind:
      return named_number(format::kPauses, trace_.strings[row.text]);
    case CtfArgument::LossReason:
      return named_number(format::kLosses, trace_.strings[row.text]);
  }
  return 0;
}

CtfEvents::Implied CtfEvents::implied(const EventRow& row) {
  const EventSchema& schema = event_schema(row.kind);
  const Emission& emission = emissions[static_cast<size_t>(row.kind)];
  const std::string_view text = trace_.strings[row.text];
  Implied known;
  if (schema.other.role == IdRole::Resource && is_waited_for(row)) resources_.insert(row.other);
  if (schema.value.role == ValueRole::IsResource)
    known.value = resources_.contains(row.other);
  else if (schema.value.role != ValueRole::None)
    known.value = row.kind == EventKind::Connection ? row.value & UINT32_MAX : row.value;
  if (carries_text(emission.a) || carries_text(emission.b)) known.text = text;
  if (emission.a == CtfArgument::PauseKind) known.text = read_back(format::kPauses, text);
  if (emission.b == CtfArgument::LossReason) known.text = read_back(format::kLosses, text);
  if (row.kind == EventKind::SpanBegin) spans_[row.value] = row.text;
  if (row.kind == EventKind::SpanEnd)
    if (const auto span = spans_.extract(row.value)) known.text = trace_.strings[span.mapped()];
  return known;
}

void CtfEvents::make_current(StreamWriter& stream, uint64_t time, uint64_t task) {
  if (stream.current_task == task) return;
  stream.event(format::k_extra, time, static_cast<uint64_t>(format::ExtraField::kCurrent), task);
  stream.current_task = task;
}

void CtfEvents::add_extra_fields(StreamWriter& stream, const EventRow& row) {
  constexpr uint32_t no_text = UINT32_MAX;  // no text has this id
  const Implied known = implied(row);
  using format::ExtraField;
  if (trace_.strings[row.text] != known.text)
    stream.next_extra(ExtraField::kText, row.text != 0 ? names_.text(row.text) : no_text);
  if (row.value != known.value) stream.next_extra(ExtraField::kValue, row.value);
  if (row.flags != 0) stream.next_extra(ExtraField::kFlags, row.flags);
}

void CtfEvents::put(const CpuTimeReading& reading) {
  if (reading.executor >= streams_.size()) return;
  streams_[reading.executor]
      .fixed(format::k_cpu_time, clock_.base() + clock_.ticks(reading.time))
      .u64(reading.cpu)
      .u32(reading.blocked)
      .u32(reading.preempted)
      .done();
}

void CtfEvents::put(const SocketBytesReading& reading) {
  if (reading.executor >= streams_.size()) return;
  streams_[reading.executor]
      .fixed(format::k_socket_bytes, clock_.base() + clock_.ticks(reading.time))
      .u64(id(reading.socket))
      .u64(reading.sent)
      .u64(reading.received)
      .u32(reading.unseen_sent)
      .u32(reading.unseen_received)
      .u32(reading.state)
      .done();
}

void CtfEvents::put(size_t event) {
  const EventRow row = trace_.events.row(event);
  const AwaitedObject* object = nullptr;
  if (next_object_ < trace_.awaited_objects.size() &&
      trace_.awaited_objects[next_object_].event == event)
    object = &trace_.awaited_objects[next_object_++];
  StreamWriter& stream = streams_[row.executor < streams_.size() ? row.executor : 0];
  const uint64_t time = clock_.base() + clock_.ticks(row.time);
  const uint64_t task = id(row.task);
  const Emission& emission = emissions[static_cast<size_t>(row.kind)];
  switch (emission.current) {
    case Current::Any:
      break;
    case Current::Task:
      make_current(stream, time, task);
      break;
    case Current::Other:
      make_current(stream, time, id(row.other));
      break;
    case Current::NoneIfNoTask:
      if (task == 0) make_current(stream, time, 0);
      break;
  }
  put_event(stream, time, row, object);
  switch (event_schema(row.kind).effect) {
    case Effect::Runs:
      stream.current_task = task;
      break;
    case Effect::Suspends:
      stream.current_task = 0;
      break;
    case Effect::Ends:
    case Effect::Becomes:
      if (stream.current_task == task) stream.current_task = 0;
      break;
    case Effect::None:
    case Effect::Creates:
    case Effect::CreatesOther:
      break;
  }
}

void CtfEvents::put_event(StreamWriter& stream, uint64_t time, const EventRow& row,
                          const AwaitedObject* object) {
  const Emission& emission = emissions[static_cast<size_t>(row.kind)];
  const bool has_place = is_place(emission.a) || is_place(emission.b);
  const uint64_t a = argument(emission.a, row);
  const uint64_t b = argument(emission.b, row);
  stream.next_at = has_place ? 0 : names_.place(row.location);
  add_extra_fields(stream, row);
  if (object != nullptr)
    return stream.event(emission.id, time, format::kAddressId | object->address,
                        names_.named_place(row.location, object->type));
  switch (row.kind) {
    case EventKind::Create:
      // Readers take an event `create` without a task for damage.
      if (const uint64_t parent = id(row.other); parent != stream.current_task || a == 0)
        return stream.fixed(format::k_create_under, time)
            .u64(parent)
            .u64(a)
            .u32(static_cast<uint32_t>(b))
            .done();
      break;
    case EventKind::Send:
    case EventKind::Receive:
      return stream.fixed(emission.id, time).u64(row.value).u64(row.other).done();
    case EventKind::Expires:
    case EventKind::CancelUses:
    case EventKind::Discard:
      return stream.fixed(emission.id, time).u64(a).done();
    case EventKind::Connection:
      return stream.fixed(emission.id, time)
          .u64(a)
          .u64(0)
          .u64(0)
          .u64(0)
          .u64(0)
          .u64(0)
          .u32(0)
          .u32(0)
          .u32(format::Connection::kWholeText)
          .u32(static_cast<uint32_t>(row.value))
          .u32(static_cast<uint32_t>(b))
          .done();
    case EventKind::Clock: {
      const ClockReading reading = clock_reading(trace_, row.value);
      return stream.fixed(format::k_clock, time)
          .u32(reading.domain)
          .u64(static_cast<uint64_t>(reading.ahead))
          .u64(reading.bracket)
          .done();
    }
    default:
      break;
  }
  stream.event(emission.id, time, a, b);
}

}  // namespace skein
