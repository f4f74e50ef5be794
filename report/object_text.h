// Names of objects that tasks await and the trace knows only by an address.
#pragma once

#include <string>
#include <string_view>

#include "trace/ask/awaited.h"
#include "trace/read/trace.h"

namespace skein {

// The class of the object, from the type of its awaiter: "rt::Mutex" of
// "rt::Mutex::lock()::Awaiter". An awaiter that is no member of a function is returned unchanged.
std::string_view object_type(std::string_view awaiter);

// "rt::Mutex 0x55942c469040"; without a type "an object".
std::string object_text(const Trace& trace, const AwaitedObjectWait& wait);

}  // namespace skein
