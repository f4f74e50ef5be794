// The meaning of skein's events in the model, as a table: which argument is the subject, which the
// second party, and so on. The reader uses a lookup instead of branches: with events in
// unpredictable order, a switch over their kinds took as long as the rest of reading.
//
// Stream::complete handles what a row cannot express (`special`). trace/read/event_schema.h says
// how to add an event.
#pragma once

#include <skein/events.h>

#include <array>
#include <cstdint>

#include "trace/read/ctf/wire.h"
#include "trace/read/event_kind.h"

namespace skein::ctf {

// A number available with an event: its arguments, the current task, and the task that is current
// after A has ended. 0: none.
enum class Number : uint8_t { None, A, B, Current, NotA };
inline constexpr size_t numbers = 5;

// OnResource: only if the trace has resources; determines whether the second party is one.
enum class Special : uint8_t { No, OnResource, Always };

struct Meaning {
  EventKind kind = EventKind::Lost;
  Number task = Number::Current;
  Number or_task = Number::None;  // if `task` is 0
  Number other = Number::None;
  Number value = Number::None;
  Number text = Number::None;
  Number place = Number::None;     // defines the location, and ...
  bool place_is_made = false;      // ... the kind and name of the created object, as value and text
  Number after = Number::Current;  // the task that is current after the event
  Special special = Special::No;
};

consteval std::array<Meaning, 256> make_meanings() {
  using K = EventKind;
  using enum Number;
  constexpr auto always = Special::Always;
  std::array<Meaning, 256> m;
  for (Meaning& meaning : m) meaning.special = always;  // the default
  m[format::k_create] = {
      .kind = K::Create, .task = A, .other = Current, .place = B, .place_is_made = true};
  m[format::k_suspend] = {
      .kind = K::Suspend, .other = A, .place = B, .after = None, .special = Special::OnResource};
  m[format::k_ready] = {.kind = K::Ready, .other = A, .place = B};
  m[format::k_label] = {.kind = K::Label, .task = A, .or_task = Current, .text = B};
  m[format::k_counter_add] = {.kind = K::CounterAdd, .value = B, .text = A};
  m[format::k_counter_set] = {.kind = K::CounterSet, .value = B, .text = A};
  m[format::k_notify] = {.kind = K::Notify, .task = A, .other = Current, .value = B};
  m[format::k_resume_by] = {.kind = K::Resume, .task = A, .other = B, .after = A};
  m[format::k_fail] = {.kind = K::Fail, .task = A, .other = Current, .text = B, .after = NotA};
  m[format::k_become] = {.kind = K::Become, .task = A, .other = B, .after = NotA};
  m[format::k_acquire] = {
      .kind = K::Acquire, .task = B, .or_task = Current, .other = A, .special = always};
  m[format::k_release] = {
      .kind = K::Release, .task = B, .or_task = Current, .other = A, .special = always};
  m[format::k_span_begin] = {.kind = K::SpanBegin, .value = A, .text = B, .special = always};
  m[format::k_span_end] = {.kind = K::SpanEnd, .value = A, .special = always};
  m[format::k_pause] = {.kind = K::Pause, .task = None, .special = always};
  m[format::k_executor] = {
      .kind = K::ExecutorBegin, .task = None, .value = A, .text = B, .special = always};
  m[format::k_executor_end] = {.kind = K::ExecutorEnd, .task = None, .value = A};
  m[format::k_lost] = {.kind = K::Lost, .task = None, .value = A, .special = always};
  m[format::k_resource] = {
      .kind = K::Resource, .other = A, .place = B, .place_is_made = true, .special = always};
  m[format::k_capacity] = {
      .kind = K::Capacity, .task = None, .other = A, .value = B, .special = always};
  m[format::k_scope_enter] = {.kind = K::ScopeEnter, .other = A, .place = B, .special = always};
  m[format::k_scope_member] = {.kind = K::ScopeMember, .task = B, .or_task = Current, .other = A};
  m[format::k_scope_exit] = {.kind = K::ScopeExit, .other = A};
  m[format::k_scope_cancel] = {.kind = K::ScopeCancel, .other = A};
  m[format::k_await] = {.kind = K::Await, .task = A, .other = B, .special = Special::OnResource};
  m[format::k_try_read] = {.kind = K::TryRead, .task = A, .other = B};
  m[format::k_extra] = {.task = None, .after = B, .special = always};  // only ExtraField::kCurrent
  m[format::k_io] = {.kind = K::Io, .other = A, .value = B};
  m[format::k_resume] = {.kind = K::Resume, .task = A, .other = Current, .after = A};
  m[format::k_switch_to] = {.kind = K::SwitchTo, .task = A, .after = A};
  m[format::k_resolve] = {.kind = K::Resolve, .task = A, .other = Current, .after = NotA};
  m[format::k_cancel] = {.kind = K::Cancel, .task = A, .other = Current, .after = NotA};
  m[format::k_should_resolve] = {.kind = K::ShouldResolve, .task = A, .or_task = Current};
  m[format::k_idle] = {.kind = K::Idle, .task = None, .text = A};
  m[format::k_wake] = {.kind = K::Wake, .task = None, .text = A};
  m[format::k_sample] = {.kind = K::Sample, .value = A, .special = always};
  m[format::k_about] = {.kind = K::About, .other = A};
  return m;
}

// Layout and meaning of an event, by its id in the packet.
struct alignas(64) Known {
  EventLayout layout;
  Meaning meaning;
};
inline SKEIN_TABLE std::array<Known, 256> known_events = [] {
  constexpr std::array<Meaning, 256> by_name = make_meanings();
  std::array<Known, 256> known;
  for (size_t id = 0; id < known.size(); id++) {
    SKEIN_AT_START(id);
    known[id] = {.layout = event_layouts[id], .meaning = by_name[event_layouts[id].event]};
    // A target with 8 bytes may be the address of an object.
    const uint8_t event = event_layouts[id].event;
    if ((event == format::k_suspend || event == format::k_ready) && (id - event) % 4 == 3)
      known[id].meaning.special = Special::Always;
  }
  return known;
}();

}  // namespace skein::ctf
