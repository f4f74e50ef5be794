// Tasks that wait for an object that they have passed before, at another line: if it is a lock, and
// they have not released it, they wait for themselves or for each other.
//
//   co_await document.lock.shared();   // two tasks have passed
//   co_await document.lock.upgrade();  // and wait, each for the other
//
// The trace does not show what a task does when it releases an object.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "trace/ask/waits.h"

namespace skein {

struct Relocked {
  TaskIndex passer = no_index;  // the task, or one that waits for it, which has passed the object
  uint64_t passed = 0;          // when it did so last
  uint32_t location = 0;        // and where
  TaskIndex other = no_index;   // another such task that waits for the object; no_index: none
  uint64_t others = 0;          // so many
  bool is_lock = false;         // the type of the object says so
  // It is a lock, there are others, and no thread of the process can run again.
  bool is_deadlock = false;
};

// By task: those that have waited for a second for such an object, if every other task that has
// passed it has ended, and no live task called such a one: none of them can hold the object for
// another. Only objects that are locks by their type, or all if no thread of the process can run
// again. Empty for a ring that has overwritten events. O(events + waits).
std::unordered_map<TaskIndex, Relocked> find_relocked(const Subject& subject);

// Whether no thread of the process can run again after the last event (TraceInfo::asleep).
bool is_process_asleep(const Subject& subject);

}  // namespace skein
