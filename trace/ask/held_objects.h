// Objects of the program that behave like locks, of which the trace does not show the holders: each
// waiter passes right after the task that passed before it has ended another wait.
//
//   co_await mutex.lock();
//   profile = co_await load(user);  // others wait for the mutex
//   mutex.unlock();
#pragma once

#include <cstdint>
#include <vector>

#include "trace/ask/object_waits.h"

namespace skein {

struct HeldObject {
  uint64_t address = 0;
  StringId type = 0;     // of the awaiter, or of the object
  uint32_t wait = 0;     // the longest such wait of a task that passed
  uint32_t victim = 0;   // the longest wait for the object
  uint64_t count = 0;    // such waits, of all tasks
  uint64_t others = 0;   // the most tasks that waited for the object at the end of one
  uint64_t waited = 0;   // what those tasks waited in the meantime, in total, ns
  bool is_lock = false;  // its type says so
};

// Only if at least ten such waits, at one place, ended while three tasks or more waited for the
// object, and no task ever passed during such a wait. By address. O(events + waits).
std::vector<HeldObject> find_held_objects(const Subject& subject);

}  // namespace skein
