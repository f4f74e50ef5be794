// A trace made of any bytes, and checks of what commands print about it.
//
//   u8 form    0: the rest is an FXT file; 1: Chrome JSON; 2: mirage-profile;
//              else events of 8 bytes: kind, task, other, value, text, location, executor, time
//
// Events in the last form satisfy the contract in trace/read/event_schema.h, so that every input
// reaches the analyses. Few ids, names and times make equal ones likely.
//
// Most of a run's time is spent in instrumented code. Therefore a target runs one command per
// input, chosen by its first byte, and the checks of what is printed skip ASCII without
// instrumentation.
#pragma once

#include <skein/events.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/cursor.h"
#include "base/utf8.h"
#include "trace/read/event_schema.h"
#include "trace/read/foreign/chrome/chrome.h"
#include "trace/read/foreign/fxt/fxt.h"
#include "trace/read/mirage/mirage.h"

namespace skein::fuzz {

inline void require(bool condition) {
  if (!condition) std::abort();
}

// Returns the number of bytes before the first that is not printable ASCII.
__attribute__((no_sanitize("coverage", "address", "undefined"))) inline size_t printable_ascii(
    std::string_view text) {
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end && *at >= 0x20 && *at < 0x7f) ++at;
  return static_cast<size_t>(at - text.data());
}

// Text for users or JSON: UTF-8 that moves no cursor and reverses no line.
inline void require_printable(std::string_view text, std::string_view allowed = "\n") {
  for (;;) {
    text.remove_prefix(printable_ascii(text));
    if (text.empty()) return;
    const CodePoint point = decode_utf8(text);
    require(point.size > 0);
    require(!is_hidden(point.code) || allowed.find(text[0]) != std::string_view::npos);
    text.remove_prefix(point.size);
  }
}

inline Trace scripted_trace(Cursor& in, size_t most_events) {
  Trace trace;
  trace.info.format = "script";
  for (const std::string_view name : {"one", "two\x1b[2J", "=1+1", "\u202e", "\xff", "a \"b\",c\n"})
    trace.strings.intern(name);
  trace.locations.push_back({.file = 1, .function = 2, .line = 7, .column = 0});
  trace.locations.push_back({.file = 3, .function = 4, .line = 8, .column = 1});
  trace.executors = {Executor{}, Executor{.name = 1, .tid = 5}, Executor{.name = 2, .tid = 6}};
  for (const format::NamedNumber& kind : format::kKinds) {
    if (trace.kinds.size() <= kind.number) trace.kinds.resize(kind.number + 1u);
    trace.kinds[kind.number] = trace.strings.intern(kind.name);
  }
  uint64_t time = 0;
  while (in.remaining() >= 8 && trace.events.size() < most_events) {
    EventRow row{.kind = static_cast<EventKind>(in.u8() % event_kinds)};
    const EventSchema& schema = event_schema(row.kind);
    const uint8_t task = in.u8();
    const uint8_t other = in.u8();
    const uint8_t value = in.u8();
    if (schema.task != IdRole::None && task != 0) row.task = task % 24;
    if (schema.other.role != IdRole::None && other != 0) row.other = other % 24;
    row.value = value & 0x80 ? ~uint64_t{0} >> (value & 63) : value;
    if (schema.value.role == ValueRole::None) row.value = 0;
    if (schema.value.role == ValueRole::Kind) row.value = value % trace.kinds.size();
    if (schema.value.role == ValueRole::IsResource) row.value = value & 1;
    if (schema.value.role == ValueRole::Stack) row.value = trace.stacks.add(value);
    if (schema.value.role == ValueRole::ClockReading) {
      row.value = trace.clock_readings.size();
      trace.clock_readings.push_back({.domain = value, .ahead = -value, .bracket = value});
    }
    const uint8_t text = in.u8();
    if (schema.text != TextRole::None) row.text = text % 7;
    row.location = in.u8() % 3;
    row.executor = in.u8() % 3;
    const uint8_t step = in.u8();
    time += uint64_t{step & 7u} << (step >> 3);
    row.time = time;
    trace.events.append(row);
  }
  return trace;
}

// An input that is not a trace gives one without events.
inline Trace any_trace(Cursor& in, size_t most_events = 1000) {
  const uint8_t form = in.u8();
  if (form > 2) return scripted_trace(in, most_events);
  const auto bytes = in.bytes(in.remaining());
  Trace trace = form == 0   ? fxt::read(bytes, {})
                : form == 1 ? chrome::read(bytes, {})
                            : mirage::read(bytes, {});
  if (trace.events.size() <= most_events) return trace;
  Cursor none({});
  return scripted_trace(none, 0);
}

}  // namespace skein::fuzz
