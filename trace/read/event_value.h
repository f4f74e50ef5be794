// The value of an event as a number that means something outside the trace's tables.
#pragma once

#include <cstdint>
#include <optional>

#include "trace/read/trace.h"

namespace skein {

// Of a stack its number, of a clock reading by how much the other clock is ahead, of all others the
// value itself. Empty where the kind has no value, or a kind's name, or the value is unknown.
std::optional<uint64_t> value_number(const Trace& trace, EventKind kind, uint64_t value);

// The clock reading of a Clock event; zeros if there is none of this index.
ClockReading clock_reading(const Trace& trace, uint64_t value);

}  // namespace skein
