// The value of an event as a number that is meaningful outside the trace's tables.
#pragma once

#include <cstdint>
#include <optional>

#include "trace/read/trace.h"

namespace skein {

// Returns the format's number of a stack, how far the other clock is ahead for a clock reading, and
// the value itself for all others. Empty if the kind has no value, the value is the index of a
// kind, or it is unknown.
std::optional<uint64_t> value_number(const Trace& trace, EventKind kind, uint64_t value);

// The clock reading of a Clock event; all zeros if the index is invalid.
ClockReading clock_reading(const Trace& trace, uint64_t value);

}  // namespace skein
