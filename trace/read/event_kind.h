// The kinds of events of the model, and what their fields mean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace skein {

// One per event of the model (docs/glossary.md). `task` is the subject, `other` the second party
// (no_task when there is none). `value` and `text` are 0 where nothing is listed.
//
//                 task              other             value               text
//  Create         the new one       its parent        index into kinds    its name
//  Resume         now current       who woke it
//  SwitchTo       now current: a plain return to it, nobody woke it
//  Suspend        no longer current what it waits for 1: other is a resource
//  Await          a suspended one   what it waits for 1: other is a resource
//  Ready          reader            what was read, which had its result already
//  TryRead        reader            what was read, which was pending
//  Resolve        it ended          who resolved it
//  Fail           it ended          who failed it                         reason
//  Cancel         it ended          who destroyed it                      reason
//  Become         the old one       the one that it is from now on
//  Notify         who is woken      source            number woken or unknown_value
//  Acquire        holder            the resource
//  Release        holder            the resource
//  Label          the labelled one                                        the label
//  ShouldResolve  its end is expected; if it does not come, that is an error
//  CounterAdd     who did it                          amount, signed      the counter's name
//  CounterSet     who did it                          value, signed       the counter's name
//  SpanBegin, End who is in it                        number of the span  the span's name
//  Idle, Wake     (none): the executor goes to sleep, is back             reason
//  Pause          (none)                              nanoseconds up to   kind ("gc")
//                                                     this event
//  Send, Receive  who did it        peer              correlation id
//  Clock          (none)            ns by which       ns it is ahead,     "domain 1"
//                                   that may be wrong signed
//  Sample         current one                         stack id
//  ExecutorBegin, ExecutorEnd       (none): an OS thread takes, leaves the stream
//  Resource       who made it       the resource      index into kinds    its name
//  Capacity       (none)            the resource      how much it holds
//  ScopeEnter, ScopeExit, ScopeCancel   who does it   the scope
//  ScopeMember    the member        the scope
//  Io             who asked         the operation     result, signed      error, or its name
//  Lost           (none)                              events not recorded reason
//                                                     before this one
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
};
inline constexpr size_t event_kinds = static_cast<size_t>(EventKind::Lost) + 1;
inline constexpr uint64_t unknown_value = UINT64_MAX;

// The model's word for it ("create", "try_read"); stable, used in text output and queries.
std::string_view name(EventKind kind);

namespace flag {
// The subject is current on the executor from this event on, although the event is no Resume:
// mirage-profile's read (1) and signal (9).
inline constexpr uint8_t makes_current = 1;
// The event's time was damaged and is the time of its predecessor.
inline constexpr uint8_t time_guessed = 2;
}  // namespace flag

}  // namespace skein
