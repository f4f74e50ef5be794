// What coroutines wait for, as objects with a type: the candidates of waiters.h, compared with the
// types that debug information gives to awaiters, and with known shapes of libraries.
//
//   AwaitedObjects(found, waiters, program).find();
//   for (const WaitObject& one : found.awaited) print(one.type, one.waiters.size());
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "frames/coroutine_program.h"
#include "frames/suspended_coroutines.h"
#include "frames/waiters.h"

namespace skein {

class AwaitedObjects {
 public:
  // Precondition: the places of the coroutines are known. All must outlive it.
  AwaitedObjects(SuspendedCoroutines& found, const Waiters& waiters, CoroutineProgram& program)
      : found_(found), waiters_(waiters), program_(program) {}

  // Sets SuspendedCoroutines::awaited, without holders, and of each coroutine `awaited`,
  // `joined_by`, and `awaits` if the object is the state of a coroutine. O(candidates); may read
  // debug information.
  void find();

  // The same of coroutines that others wait for together.
  void add_groups(const std::vector<Join>& groups);

  // What a coroutine waits for, and where its frame has the address.
  struct Match {
    uint64_t object = 0;
    uint64_t slot = 0;    // bytes from the frame
    uint64_t handle = 0;  // where the awaiter has the frame's address; 0: unknown
    uint64_t back = 0;    // where the object has the address that leads back, if it is linked
    std::string type = {};
    bool is_linked = false;  // WaitObject::is_linked
  };
  // By coroutine.
  const std::unordered_map<uint32_t, Match>& matches() const { return matches_; }
  // Coroutines of which `awaits` has closed a cycle.
  const std::vector<uint32_t>& cycle_closers() const { return cycle_closers_; }
  // Those of which `awaits` is a guess: the other's promise has the coroutine in a list, but what
  // the coroutine awaits is unknown.
  const std::vector<uint32_t>& guessed() const { return guessed_; }

 private:
  // A task by the handle that the awaiter has.
  struct OwnAwaiter {
    uint32_t task = 0;
    bool is_alone = false;  // the awaiter has no handle of the coroutine that waits
  };
  std::optional<Match> match(uint32_t coroutine);
  std::optional<Match> of_promise(const FrameLayout& layout, uint32_t coroutine) const;
  std::optional<Match> of_awaiter_in(const FrameLayout& layout, uint32_t coroutine);
  std::optional<Match> of_reference_in(const FrameLayout& layout, uint32_t coroutine);
  std::optional<Match> of_type(uint32_t coroutine);
  std::optional<Match> of_shape(uint32_t coroutine);
  std::optional<Match> unlinked_in(const FrameLayout& layout, uint32_t coroutine);
  std::optional<Match> unlinked_of_type(uint32_t coroutine);
  std::optional<Match> task_with_list(const FrameLayout& layout, uint32_t coroutine) const;
  uint64_t awaiter_address(const FrameLayout& layout, uint32_t coroutine);
  std::optional<OwnAwaiter> task_of_awaiter(const FrameLayout& layout, uint32_t coroutine);
  bool may_be_in_awaiter(const FrameLayout& layout, uint32_t coroutine, uint64_t slot) const;
  bool returns_awaited(uint32_t task, uint32_t coroutine, const std::string& object);
  uint32_t producer_of(uint32_t coroutine, const Match& match);
  void read_promises();
  bool set_awaits(uint32_t coroutine, uint32_t other, bool is_proven);
  void choose_candidates(uint32_t coroutine);
  bool may_be(uint32_t coroutine, const WaitCandidate& candidate, const std::string& type);
  bool may_contain(uint32_t coroutine, const WaitCandidate& candidate, const std::string& type);
  bool fits(uint32_t function, uint64_t object, const std::string& type);
  bool is_declared_otherwise(uint32_t coroutine, const WaitCandidate& candidate,
                             const std::string& type);
  const std::string& awaiter_of(uint32_t coroutine) const;
  uint64_t promise_end(uint32_t coroutine) const;
  bool leads_to(uint32_t from, uint32_t to) const;
  void add(uint32_t coroutine, const Match& match);
  void add_joins();
  void add_own_joins();
  void add_own_join(uint32_t parent, uint64_t address, std::span<const SharedObject> children);
  bool has_count(uint64_t address, uint64_t count) const;

  SuspendedCoroutines& found_;
  const Waiters& waiters_;
  CoroutineProgram& program_;
  std::unordered_map<uint64_t, uint32_t> numbers_ = {};  // of found_.awaited, by address
  std::unordered_map<uint32_t, Match> matches_ = {};
  std::vector<uint32_t> cycle_closers_ = {};
  std::vector<uint32_t> guessed_ = {};
  // The coroutine whose promise has the address of an object; SuspendedCoroutine::none if several
  // have.
  std::unordered_map<uint64_t, uint32_t> promises_ = {};
  bool has_read_promises_ = false;
  std::vector<WaitCandidate> candidates_ = {};  // of the coroutine that is looked at
  size_t looked_up_ = 0;                        // coroutines whose variables were looked up
};

}  // namespace skein
