#include "trace/read/event_value.h"

#include "trace/read/event_schema.h"

namespace skein {

std::optional<uint64_t> value_number(const Trace& trace, EventKind kind, uint64_t value) {
  switch (event_schema(kind).value.role) {
    case ValueRole::None:
    case ValueRole::Kind:
      return {};
    case ValueRole::Count:
      if (value == unknown_value) return {};
      return value;
    case ValueRole::Stack:
      return trace.stacks.number(value);
    case ValueRole::ClockReading:
      return static_cast<uint64_t>(clock_reading(trace, value).ahead);
    case ValueRole::IsResource:
    case ValueRole::Signed:
    case ValueRole::Nanoseconds:
    case ValueRole::Number:
      return value;
  }
  return {};
}

ClockReading clock_reading(const Trace& trace, uint64_t value) {
  if (value >= trace.clock_readings.size()) return {};
  return trace.clock_readings[static_cast<size_t>(value)];
}

}  // namespace skein
