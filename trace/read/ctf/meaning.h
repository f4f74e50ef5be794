// What an event of ours means in the model, as a table: which argument is the subject, which the
// second party, and so on. The reader looks up instead of branching: with events in no predictable
// order a switch over their kinds cost as much as all the rest of reading them.
//
// What a row cannot say (`special`) is done by Stream::append_special.
#pragma once

#include <skein/events.h>

#include <array>
#include <cstdint>

#include "trace/read/events.h"

namespace skein::ctf {

// A task or resource: an argument, the current task, nobody. ...OrCurrent: 0 is the current one.
enum class Who : uint8_t { Nobody, Current, A, B, AOrCurrent, BOrCurrent };
inline constexpr size_t whos = 6;

// An argument as a number: of a value, a text, a place.
enum class Argument : uint8_t { None, A, B };
inline constexpr size_t arguments = 3;

// The current task after the event. UnlessA: none if it was A.
enum class After : uint8_t { Same, A, None, UnlessA };
inline constexpr size_t afters = 4;

// OnResource: only when the trace has resources, to see whether the second party is one.
enum class Special : uint8_t { No, OnResource, Always };

struct Meaning {
  EventKind kind = EventKind::Lost;
  Who task = Who::Current;
  Who other = Who::Nobody;
  Argument value = Argument::None;
  Argument text = Argument::None;
  Argument place = Argument::None;  // gives the location, and ...
  bool place_is_made = false;       // ... kind and name of what is made there, as value and text
  After after = After::Same;
  Special special = Special::No;
};

consteval std::array<Meaning, 256> make_meanings() {
  using K = EventKind;
  using enum Argument;
  using W = Who;
  constexpr auto always = Special::Always;
  std::array<Meaning, 256> m;
  for (Meaning& meaning : m) meaning.special = always;  // unless said otherwise
  m[format::k_create] = {
      .kind = K::Create, .task = W::A, .other = W::Current, .place = B, .place_is_made = true};
  m[format::k_suspend] = {.kind = K::Suspend,
                          .other = W::A,
                          .place = B,
                          .after = After::None,
                          .special = Special::OnResource};
  m[format::k_ready] = {.kind = K::Ready, .other = W::A, .place = B};
  m[format::k_label] = {.kind = K::Label, .task = W::AOrCurrent, .text = B};
  m[format::k_counter_add] = {.kind = K::CounterAdd, .value = B, .text = A};
  m[format::k_counter_set] = {.kind = K::CounterSet, .value = B, .text = A};
  m[format::k_notify] = {.kind = K::Notify, .task = W::A, .other = W::Current, .value = B};
  m[format::k_resume_by] = {.kind = K::Resume, .task = W::A, .other = W::B, .after = After::A};
  m[format::k_fail] = {
      .kind = K::Fail, .task = W::A, .other = W::Current, .text = B, .after = After::UnlessA};
  m[format::k_become] = {.kind = K::Become, .task = W::A, .other = W::B, .after = After::UnlessA};
  m[format::k_acquire] = {
      .kind = K::Acquire, .task = W::BOrCurrent, .other = W::A, .special = always};
  m[format::k_release] = {
      .kind = K::Release, .task = W::BOrCurrent, .other = W::A, .special = always};
  m[format::k_span_begin] = {.kind = K::SpanBegin, .value = A, .text = B, .special = always};
  m[format::k_span_end] = {.kind = K::SpanEnd, .value = A, .special = always};
  m[format::k_pause] = {.kind = K::Pause, .task = W::Nobody, .special = always};
  m[format::k_executor] = {
      .kind = K::ExecutorBegin, .task = W::Nobody, .value = A, .text = B, .special = always};
  m[format::k_executor_end] = {.kind = K::ExecutorEnd, .task = W::Nobody, .value = A};
  m[format::k_lost] = {.kind = K::Lost, .task = W::Nobody, .value = A, .special = always};
  m[format::k_resource] = {
      .kind = K::Resource, .other = W::A, .place = B, .place_is_made = true, .special = always};
  m[format::k_capacity] = {
      .kind = K::Capacity, .task = W::Nobody, .other = W::A, .value = B, .special = always};
  m[format::k_scope_enter] = {.kind = K::ScopeEnter, .other = W::A, .place = B, .special = always};
  m[format::k_scope_member] = {.kind = K::ScopeMember, .task = W::BOrCurrent, .other = W::A};
  m[format::k_scope_exit] = {.kind = K::ScopeExit, .other = W::A};
  m[format::k_scope_cancel] = {.kind = K::ScopeCancel, .other = W::A};
  m[format::k_await] = {
      .kind = K::Await, .task = W::A, .other = W::B, .special = Special::OnResource};
  m[format::k_io] = {.kind = K::Io, .other = W::A, .value = B};
  m[format::k_resume] = {.kind = K::Resume, .task = W::A, .other = W::Current, .after = After::A};
  m[format::k_switch_to] = {.kind = K::SwitchTo, .task = W::A, .after = After::A};
  m[format::k_resolve] = {
      .kind = K::Resolve, .task = W::A, .other = W::Current, .after = After::UnlessA};
  m[format::k_cancel] = {
      .kind = K::Cancel, .task = W::A, .other = W::Current, .after = After::UnlessA};
  m[format::k_should_resolve] = {.kind = K::ShouldResolve, .task = W::AOrCurrent};
  m[format::k_idle] = {.kind = K::Idle, .task = W::Nobody, .text = A};
  m[format::k_wake] = {.kind = K::Wake, .task = W::Nobody, .text = A};
  m[format::k_sample] = {.kind = K::Sample, .value = A};
  return m;
}
inline constexpr std::array<Meaning, 256> meanings = make_meanings();

}  // namespace skein::ctf
