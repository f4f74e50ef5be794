// Names of objects that tasks await and the trace knows only by an address.
#pragma once

#include <string>
#include <string_view>

#include "trace/ask/awaited.h"
#include "trace/read/trace.h"

namespace skein {

// The class of the object, from the type of its awaiter: "rt::Mutex" of
// "rt::Mutex::lock()::Awaiter" or "rt::Mutex::Awaiter". Other awaiters that are no members of a
// function are returned unchanged: "rt::Awaiter", whose "rt" may be a namespace.
std::string_view object_type(std::string_view awaiter);

// The function that made the awaiter, without parameters: "rt::Mutex::lock" of
// "rt::Mutex::lock()::Awaiter"; empty if it is no member of a function.
std::string_view object_function(std::string_view awaiter);

// "rt::Mutex 0x55942c469040"; without a type "an object".
std::string object_text(const Trace& trace, StringId type, uint64_t address);
std::string object_text(const Trace& trace, const AwaitedObjectWait& wait);

}  // namespace skein
