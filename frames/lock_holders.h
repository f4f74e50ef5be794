// Which coroutines hold the locks that others wait for: those that keep a guard of the lock.
//
//   LockHolders(found, waiters, objects, program).find();
//   keep_certain_cycles(found, waiters, target);
//
// A frame keeps the bytes of a guard that has been destroyed. A holder is certain if the guard is
// of a known type, its scope contains the await where the coroutine waits, and another await of the
// function lies between them: that of the guard itself. Otherwise it is, or has been, the holder.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "frames/awaited_objects.h"
#include "frames/coroutine_program.h"
#include "frames/suspended_coroutines.h"
#include "frames/waiters.h"
#include "target/target.h"

namespace skein {

class LockHolders {
 public:
  LockHolders(SuspendedCoroutines& found, const Waiters& waiters, const AwaitedObjects& objects,
              CoroutineProgram& program)
      : found_(found), waiters_(waiters), objects_(objects), program_(program) {}

  // Sets WaitObject::holders. O(words of frames); may read debug information.
  void find();

 private:
  void find_in(uint32_t coroutine);
  void find_guard(uint32_t coroutine, const FrameLayout& layout, uint64_t slot, uint32_t lock);
  bool is_in_scope(uint32_t coroutine, const FrameLayout& layout, const FrameMember& guard,
                   const WaitObject& object);
  bool has_locked_before(uint32_t coroutine, const FrameLayout& layout,
                         const WaitObject& lock) const;
  bool may_be_current(uint32_t coroutine, const FrameMember& awaiter) const;
  bool has_await_between(uint32_t function, uint32_t first, const SuspendedCoroutines::Place& end);
  bool is_used_awaiter(uint32_t coroutine, uint64_t slot, uint32_t lock) const;
  void add(uint32_t coroutine, uint32_t lock, bool is_certain);

  SuspendedCoroutines& found_;
  const Waiters& waiters_;
  const AwaitedObjects& objects_;
  CoroutineProgram& program_;
  std::unordered_map<uint64_t, uint32_t> locks_ = {};  // of found_.awaited, by address
  // By lock: from where awaiters have the frame's address to where they have that of the lock.
  std::unordered_map<uint32_t, int64_t> distances_ = {};
  std::map<uint32_t, std::vector<LinePlace>> awaits_ = {};  // by function
};

// Coroutines that wait for each other do not change. Where they have since they were read, holders
// of locks are no longer certain. O(coroutines).
void keep_certain_cycles(SuspendedCoroutines& found, const Waiters& waiters, const Target& target);

}  // namespace skein
