// The kinds of events of the model. event_schema.h says how to add one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace skein {

// One per event of the model (docs/glossary.md). event_schema.h defines the meaning of their
// fields.
enum class EventKind : uint8_t {
  Create,
  Resume,
  SwitchTo,
  Suspend,
  Await,
  Ready,
  TryRead,
  Resolve,
  Fail,
  Cancel,
  Become,
  Notify,
  Acquire,
  Release,
  Label,
  ShouldResolve,
  CounterAdd,
  CounterSet,
  SpanBegin,
  SpanEnd,
  Idle,
  Wake,
  Pause,
  Send,
  Receive,
  Clock,
  Sample,
  ExecutorBegin,
  ExecutorEnd,
  Resource,
  Capacity,
  ScopeEnter,
  ScopeExit,
  ScopeCancel,
  ScopeMember,
  Io,
  Lost,
  About,
  Expires,
  CancelUses,
  Connection,
  Discard,  // the last one: event_kinds
};
inline constexpr size_t event_kinds = static_cast<size_t>(EventKind::Discard) + 1;
inline constexpr uint64_t unknown_value = UINT64_MAX;

// The model's name of the kind ("create", "try_read"); stable, used in text output and queries.
std::string_view name(EventKind kind);

namespace flag {
// The subject is current on the executor from this event on, although the event is no Resume:
// mirage-profile's read (1) and signal (9).
inline constexpr uint8_t makes_current = 1;
// The event's time was damaged and is replaced by that of its predecessor.
inline constexpr uint8_t time_guessed = 2;
}  // namespace flag

}  // namespace skein
