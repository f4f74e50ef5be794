// Which coroutines hold the locks that others wait for: those that keep a guard of the lock.
//
//   LockHolders(found, waiters, objects, program).find();
//
// A frame keeps the bytes of a guard that has been destroyed. A holder is certain if the guard is
// of a known type, its scope contains the await where the coroutine waits, and another await of the
// function lies between them: that of the guard itself. A class of the program is a guard if it has
// a destructor, nothing but the address of the lock, and the name of one, or the lock's awaiter
// gives it; unless it is a member of the lock's class, the function must have awaited the lock
// before. A lock of the program may have the handle of its owner, by the name of the member.
// A coroutine that has awaited a lock without a guard, and released fewer than it has awaited in
// the lines before that where it waits, is perhaps the holder. Otherwise it is, or has been, the
// holder; without debug information, the only coroutine that has the lock's address may be.
//
// No holder is certain
//   - if there seem to be several: a lock has one;
//   - if it has an object that gives the lock back for some time, "UnlockGuard";
//   - if another coroutine may have released the lock for it, as the wait for a condition does;
//   - by a guard of the program, of the lock that it waits for itself.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "frames/awaited_objects.h"
#include "frames/coroutine_program.h"
#include "frames/suspended_coroutines.h"
#include "frames/waiters.h"

namespace skein {

class LockHolders {
 public:
  LockHolders(SuspendedCoroutines& found, const Waiters& waiters, const AwaitedObjects& objects,
              CoroutineProgram& program)
      : found_(found), waiters_(waiters), objects_(objects), program_(program) {}

  // Sets WaitObject::holders. O(words of frames); may read debug information.
  void find();

 private:
  // Of the program, Inner: a class inside of the lock's, as Mutex::Guard.
  enum class Guard : uint8_t { None, Known, Inner, Outer };

  void find_awaiters();
  void find_given_guards();
  bool is_of_libcoro(const WaitObject& lock) const;
  bool is_guard(const std::string& type, const WaitObject& lock) const;
  bool has_one_holder(const std::string& lock) const;
  void find_in(uint32_t coroutine);
  bool is_debuggable(uint32_t coroutine) const;
  void find_object(uint32_t coroutine, uint64_t slot, uint32_t lock);
  bool is_object_in_scope(uint32_t coroutine, const FrameObject& guard, const WaitObject& lock,
                          Guard kind);
  Guard kind_of_guard(uint32_t function, const ObjectType& type, const WaitObject& lock);
  Guard kind_of_object(uint32_t coroutine, const FrameObject& guard, const WaitObject& lock);
  bool has_unlocker(uint32_t coroutine, const FrameLayout& layout, uint64_t lock) const;
  bool may_be_released(uint32_t holder, uint32_t lock);
  bool is_object(uint64_t address) const;
  bool may_know(uint32_t coroutine, const WaitObject& lock);
  bool awaits_once(uint32_t function);
  bool is_at_first_await(uint32_t coroutine, const WaitObject& lock);
  bool awaits_object(const SuspendedCoroutine& one, const WaitObject& lock) const;
  bool has_spare_guards(uint32_t coroutine, const FrameLayout& layout, const WaitObject& lock);
  size_t awaits_before(uint32_t function, const SuspendedCoroutines::Place& end,
                       const WaitObject& lock);
  bool awaits_lock(const std::string& awaiter, const WaitObject& lock) const;
  bool is_awaited_before(uint32_t function, const SuspendedCoroutines::Place& end, uint32_t line,
                         const WaitObject& lock);
  const std::vector<FrameObject>& objects_of(uint32_t coroutine);
  const std::vector<Suspension>& suspensions_of(uint32_t function);
  void find_owner(uint32_t lock);
  uint64_t end_of(uint32_t function, const WaitObject& lock);
  std::optional<uint64_t> owner_of(uint32_t function, const std::string& lock);
  void find_guard(uint32_t coroutine, const FrameLayout& layout, uint64_t slot, uint32_t lock);
  bool is_in_scope(uint32_t coroutine, const FrameLayout& layout, const FrameMember& guard,
                   const WaitObject& object, Guard kind);
  // NotHere: it awaits no such lock; Other: what it has awaited are others, as its frame shows.
  enum class Locked : uint8_t { No, Yes, NotHere, Other };
  Locked has_locked_before(uint32_t coroutine, const FrameLayout& layout,
                           const WaitObject& lock) const;
  bool is_given_before(uint32_t coroutine, const FrameLayout& layout, const FrameMember& guard,
                       const WaitObject& lock) const;
  bool refers_to(uint32_t coroutine, const FrameMember& awaiter, uint64_t slot) const;
  bool may_be_current(uint32_t coroutine, const FrameMember& awaiter) const;
  bool has_await_between(uint32_t function, uint32_t first, const SuspendedCoroutines::Place& end);
  bool is_awaited_between(uint32_t function, uint32_t first, const SuspendedCoroutines::Place& end,
                          const WaitObject& lock);
  bool is_used_awaiter(uint32_t coroutine, uint64_t slot, uint32_t lock) const;
  bool is_taken_by_hand(uint32_t coroutine, uint64_t slot, uint32_t lock);
  bool has_awaiter_at(uint32_t coroutine, uint64_t slot, uint32_t lock) const;
  bool refers_to_lock(uint32_t coroutine, const WaitObject& lock);
  bool is_released_before(uint32_t coroutine, const WaitObject& lock);
  void add(uint32_t coroutine, uint32_t lock, WaitObject::Certainty certainty = {});
  static WaitObject::Certainty certainty_of(Guard guard) {
    return guard == Guard::Known ? WaitObject::Certainty::Certain : WaitObject::Certainty::Probable;
  }

  SuspendedCoroutines& found_;
  const Waiters& waiters_;
  const AwaitedObjects& objects_;
  CoroutineProgram& program_;
  std::unordered_map<uint64_t, uint32_t> locks_ = {};  // of found_.awaited, by address
  // By lock: from where awaiters have the frame's address to where they have that of the lock.
  std::unordered_map<uint32_t, int64_t> distances_ = {};
  std::map<uint32_t, std::vector<Suspension>> awaits_ = {};     // by function
  // By function and type of lock, the lines in which it may release one.
  std::map<std::pair<uint32_t, std::string>, std::vector<LinePlace>> releases_ = {};
  std::map<std::string, std::optional<uint64_t>> owners_ = {};  // by type of lock
  std::map<std::string, std::optional<uint64_t>> sizes_ = {};   // the same
  std::vector<uint64_t> objects_by_address_ = {};               // addresses of found_.awaited
  std::map<std::string, std::set<std::string>> awaiters_ = {};  // by the only type they wait for
  // By type of lock, the classes that its awaiters give, if those are guards.
  std::map<std::string, std::set<std::string>> given_ = {};
  // By lock, the coroutines without debug information that have its address; at most two.
  std::unordered_map<uint32_t, std::vector<uint32_t>> references_ = {};
  std::vector<FrameObject> objects_in_frame_ = {};
  uint32_t objects_of_ = SuspendedCoroutine::none;  // whose they are
};

}  // namespace skein
