// Names of objects that tasks await and the trace knows only by an address.
#pragma once

#include <string>

#include "base/awaiter_type.h"
#include "trace/ask/awaited.h"
#include "trace/read/trace.h"

namespace skein {

// "rt::Mutex 0x55942c469040"; without a type "an object".
std::string object_text(const Trace& trace, StringId type, uint64_t address);
std::string object_text(const Trace& trace, const AwaitedObjectWait& wait);

}  // namespace skein
