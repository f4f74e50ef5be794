// The history of each object that tasks await and the trace knows only by its address
// (Trace::awaited_objects): which tasks awaited it, and when each of them passed, at once or after
// a wait.
//
//   for (const auto& [address, passes] : find_object_waits(subject)) ...
//
// An address may be that of another object later; of AwaitedObjects, the same holds.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "trace/ask/waits.h"

namespace skein {

struct ObjectWait {
  uint64_t begin = 0;
  uint64_t end = 0;  // Waits::never: it waits; equals `begin` if it passed at once
  TaskIndex task = no_index;
  uint32_t wait = Waits::none;  // none: it passed at once
  uint32_t location = 0;        // of the await
  StringId type = 0;            // of the awaiter, or of the object
  bool is_open() const { return end == Waits::never; }
  bool is_at_once() const { return wait == Waits::none; }
};

// By address; of each object by `begin`. O(events + waits) if the trace has such objects.
std::unordered_map<uint64_t, std::vector<ObjectWait>> find_object_waits(const Subject& subject);

// Whether each wait may be for another condition, as of a timer: the awaiter's type is a class in a
// function that has parameters, or a class of its own, by its name.
bool may_have_conditions(const Trace& trace, StringId type);
// Whether the type is that of a lock by its name, without arguments: "SharedLock", but not "Clock"
// or "LockedQueue".
bool is_named_lock(const Trace& trace, StringId type);
// Whether the type is, by its name, that of something that resumes any task that waits for it: a
// timer, a scheduler, a pool of threads.
bool is_named_service(const Trace& trace, StringId type);

}  // namespace skein
