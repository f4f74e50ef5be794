// An object that a task awaits and the trace knows only by its address: a mutex or a thread pool of
// a library, for example.
#pragma once

#include <cstddef>
#include <cstdint>

#include "trace/read/strings.h"

namespace skein {

struct AwaitedObject {
  size_t event = 0;      // a Suspend or Ready; index into Trace::events
  uint64_t address = 0;  // not 0
  StringId type = 0;     // of the awaiter, or of the object if that is awaited itself
};

}  // namespace skein
