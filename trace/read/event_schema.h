// What each kind of event means: one row per kind, and the only definition of its fields. Dump,
// queries, exporters, readers and the model use it.
//
//   const EventSchema& schema = event_schema(EventKind::Create);
//   print(schema.name);         // "create"
//   print(schema.other.name);   // "by": the display name of the field `other`
//   schema.other.role           // IdRole::Task
//   schema.value.role           // ValueRole::Kind: an index into Trace::kinds
//
// To add a kind: an enumerator in event_kind.h, a row here, a case in ModelBuilder::follow;
// CONTRIBUTING.md lists the rest.
//
// The contract of an event's fields:
//   task   the subject; no_task where its role is None or the subject is unknown
//   other  the second party; no_task where its role is None or there is none
//   value  0 where its role is None
//   text   0 where its role is None, or there is no text
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "trace/read/event_kind.h"

namespace skein {

// What an id refers to.
enum class IdRole : uint8_t {
  None,
  Task,
  Resource,
  TaskOrResource,  // a value of role IsResource decides which
  Scope,
  Operation,
  Peer,  // a machine, in the format's own numbering: not an id of this trace
};

enum class ValueRole : uint8_t {
  None,
  Kind,        // an index into Trace::kinds
  IsResource,  // 1: `other` is a resource
  Count,       // unknown_value: unknown
  Signed,      // int64_t
  Nanoseconds,
  Number,        // an id with its own numbering: of a span, a message, an OS thread
  Stack,         // an index into Trace::stacks
  ClockReading,  // an index into Trace::clock_readings
};

enum class TextRole : uint8_t { None, Name, Label, Reason, Counter };

// How the event changes the state of its task, and thus which task is current on its executor.
enum class Effect : uint8_t {
  None,
  Creates,       // the task exists from now on
  CreatesOther,  // `other` exists from now on
  Runs,          // the task is current from now on
  Suspends,      // no task is current from now on; the task waits
  Ends,          // the task has ended; if it was current, none is
  Becomes,       // as Ends, and `other` continues as the task
};

struct EventSchema {
  struct Id {
    IdRole role = IdRole::None;
    std::string_view name = {};
  };
  struct Value {
    ValueRole role = ValueRole::None;
    std::string_view name = {};
  };

  EventKind kind;
  std::string_view name;  // stable: used in text output, files and queries
  IdRole task = IdRole::Task;
  Id other = {};
  Value value = {};
  TextRole text = TextRole::None;
  Effect effect = Effect::None;
};

// clang-format off
inline constexpr std::array<EventSchema, event_kinds> event_schemas{{
    {.kind = EventKind::Create, .name = "create",  // other: its parent
     .other = {IdRole::Task, "by"}, .value = {ValueRole::Kind, "kind"}, .text = TextRole::Name,
     .effect = Effect::Creates},
    {.kind = EventKind::Resume, .name = "resume",  // other: the waker
     .other = {IdRole::Task, "by"}, .effect = Effect::Runs},
    {.kind = EventKind::SwitchTo, .name = "switch_to",  // a plain return to the task, not a wake-up
     .effect = Effect::Runs},
    {.kind = EventKind::Suspend, .name = "suspend",  // other: the target of the wait
     .other = {IdRole::TaskOrResource, "on"}, .value = {ValueRole::IsResource, "resource"},
     .effect = Effect::Suspends},
    {.kind = EventKind::Await, .name = "await",  // the target of the wait of a suspended task
     .other = {IdRole::TaskOrResource, "on"}, .value = {ValueRole::IsResource, "resource"}},
    {.kind = EventKind::Ready, .name = "ready",  // reads a result that was available
     .other = {IdRole::Task, "input"}},
    {.kind = EventKind::TryRead, .name = "try_read",  // reads a result that is pending
     .other = {IdRole::Task, "input"}},
    {.kind = EventKind::Resolve, .name = "resolve",
     .other = {IdRole::Task, "by"}, .effect = Effect::Ends},
    {.kind = EventKind::Fail, .name = "fail",
     .other = {IdRole::Task, "by"}, .text = TextRole::Reason, .effect = Effect::Ends},
    {.kind = EventKind::Cancel, .name = "cancel",
     .other = {IdRole::Task, "by"}, .text = TextRole::Reason, .effect = Effect::Ends},
    {.kind = EventKind::Become, .name = "become",
     .other = {IdRole::Task, "into"}, .effect = Effect::Becomes},
    {.kind = EventKind::Notify, .name = "notify",  // value: how many waiters it wakes
     .task = IdRole::TaskOrResource, .other = {IdRole::Task, "from"},
     .value = {ValueRole::Count, "woken"}},
    {.kind = EventKind::Acquire, .name = "acquire", .other = {IdRole::Resource, "resource"}},
    {.kind = EventKind::Release, .name = "release", .other = {IdRole::Resource, "resource"}},
    {.kind = EventKind::Label, .name = "label", .text = TextRole::Label},
    {.kind = EventKind::ShouldResolve, .name = "should_resolve"},  // an error if it does not end
    {.kind = EventKind::CounterAdd, .name = "counter_add",
     .value = {ValueRole::Signed, "amount"}, .text = TextRole::Counter},
    {.kind = EventKind::CounterSet, .name = "counter_set",
     .value = {ValueRole::Signed, "value"}, .text = TextRole::Counter},
    {.kind = EventKind::SpanBegin, .name = "span_begin",
     .value = {ValueRole::Number, "span"}, .text = TextRole::Name},
    {.kind = EventKind::SpanEnd, .name = "span_end",
     .value = {ValueRole::Number, "span"}, .text = TextRole::Name},
    {.kind = EventKind::Idle, .name = "idle",  // the executor begins to sleep
     .task = IdRole::None, .text = TextRole::Reason},
    {.kind = EventKind::Wake, .name = "wake",
     .task = IdRole::None, .text = TextRole::Reason},
    {.kind = EventKind::Pause, .name = "pause",  // the time up to this event; text: "gc"
     .task = IdRole::None, .value = {ValueRole::Nanoseconds, "ns"}, .text = TextRole::Reason},
    {.kind = EventKind::Send, .name = "send",
     .other = {IdRole::Peer, "peer"}, .value = {ValueRole::Number, "correlation"}},
    {.kind = EventKind::Receive, .name = "receive",
     .other = {IdRole::Peer, "peer"}, .value = {ValueRole::Number, "correlation"}},
    {.kind = EventKind::Clock, .name = "clock",
     .task = IdRole::None, .value = {ValueRole::ClockReading, "ahead"}},
    {.kind = EventKind::Sample, .name = "sample",  // task: the current one
     .value = {ValueRole::Stack, "stack"}},
    {.kind = EventKind::ExecutorBegin, .name = "executor_begin",  // an OS thread takes the stream
     .task = IdRole::None, .value = {ValueRole::Number, "tid"}, .text = TextRole::Name},
    {.kind = EventKind::ExecutorEnd, .name = "executor_end",  // ... and releases it
     .task = IdRole::None, .value = {ValueRole::Number, "tid"}},
    {.kind = EventKind::Resource, .name = "resource",  // task: its creator
     .other = {IdRole::Resource, "resource"}, .value = {ValueRole::Kind, "kind"},
     .text = TextRole::Name, .effect = Effect::CreatesOther},
    {.kind = EventKind::Capacity, .name = "capacity",
     .task = IdRole::None, .other = {IdRole::Resource, "resource"},
     .value = {ValueRole::Count, "capacity"}},
    {.kind = EventKind::ScopeEnter, .name = "scope_enter",
     .other = {IdRole::Scope, "scope"}, .text = TextRole::Name},
    {.kind = EventKind::ScopeExit, .name = "scope_exit", .other = {IdRole::Scope, "scope"}},
    {.kind = EventKind::ScopeCancel, .name = "scope_cancel", .other = {IdRole::Scope, "scope"}},
    {.kind = EventKind::ScopeMember, .name = "scope_member", .other = {IdRole::Scope, "scope"}},
    {.kind = EventKind::Io, .name = "io",  // text: the error, or its name
     .other = {IdRole::Operation, "operation"}, .value = {ValueRole::Signed, "result"},
     .text = TextRole::Reason},
    {.kind = EventKind::Lost, .name = "lost",  // events not recorded before this one
     .task = IdRole::None, .value = {ValueRole::Count, "events"}, .text = TextRole::Reason},
    {.kind = EventKind::About, .name = "about",  // the resource that the task's next operation uses
     .other = {IdRole::Resource, "resource"}},
    {.kind = EventKind::Expires, .name = "expires",  // when that operation completes: from now on
     .value = {ValueRole::Nanoseconds, "ns"}},
    {.kind = EventKind::CancelUses, .name = "cancel_uses",  // cancels the operations that use it
     .other = {IdRole::Resource, "resource"}},
    {.kind = EventKind::Connection, .name = "connection",  // text: connection_text()
     .other = {IdRole::Resource, "resource"}, .value = {ValueRole::Number, "descriptor"},
     .text = TextRole::Name},
    {.kind = EventKind::Discard, .name = "discard"},  // no code reads its failure, which follows
}};
// clang-format on

namespace detail {
consteval bool event_schemas_are_complete() {
  for (size_t i = 0; i < event_kinds; i++) {
    const EventSchema& row = event_schemas[i];
    if (row.kind != static_cast<EventKind>(i) || row.name.empty()) return false;
    if ((row.other.role == IdRole::None) != row.other.name.empty()) return false;
    if ((row.value.role == ValueRole::None) != row.value.name.empty()) return false;
    for (size_t k = 0; k < i; k++)
      if (event_schemas[k].name == row.name) return false;
  }
  return true;
}
static_assert(event_schemas_are_complete(),
              "one row per EventKind, in the order of the enumerators");

// A table of one column: the web page must stay small and needs no other column.
inline constexpr std::array<IdRole, event_kinds> other_roles = [] {
  std::array<IdRole, event_kinds> roles;
  for (size_t i = 0; i < event_kinds; i++) roles[i] = event_schemas[i].other.role;
  return roles;
}();
}  // namespace detail

constexpr const EventSchema& event_schema(EventKind kind) {
  return event_schemas[static_cast<size_t>(kind)];
}

// Whether the value is a number to display. (Kind is shown as a name; IsResource describes
// `other`.)
constexpr bool is_number(ValueRole role) {
  return role != ValueRole::None && role != ValueRole::Kind && role != ValueRole::IsResource;
}

// Whether `other` of an event of this kind and value is a task. (Scopes and operations are tasks.)
constexpr bool other_is_task(EventKind kind, uint64_t value) {
  switch (detail::other_roles[static_cast<size_t>(kind)]) {
    case IdRole::Task:
    case IdRole::Scope:
    case IdRole::Operation:
      return true;
    case IdRole::TaskOrResource:
      return value == 0;
    default:
      return false;
  }
}

}  // namespace skein
