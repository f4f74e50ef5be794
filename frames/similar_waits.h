// What those coroutines wait for that Waiters has not looked at, because there are too many: what
// similar ones wait for shows where their frames have the address of it.
//
//   SimilarWaits similar(found, waiters, awaited, program);
//   if (const uint64_t left = similar.find()) warn(left);
//
// Similar coroutines are at the same place of the same function. A coroutine counts only if its own
// frame has its handle where the others have theirs, and if the object is one that others wait for,
// or leads to a frame with its address.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>

#include "frames/awaited_objects.h"
#include "frames/coroutine_program.h"
#include "frames/suspended_coroutines.h"
#include "frames/waiters.h"

namespace skein {

class SimilarWaits {
 public:
  // After AwaitedObjects::find(). All must outlive it.
  SimilarWaits(SuspendedCoroutines& found, const Waiters& waiters, const AwaitedObjects& awaited,
               CoroutineProgram& program);

  // Sets `awaited` of coroutines, and adds them to objects. Returns how many of those are left that
  // wait for something of which nothing is known. O(coroutines).
  uint64_t find();

 private:
  // Where a frame has what it waits for.
  struct Shape {
    uint64_t slot = 0;
    uint64_t handle = 0;
    uint64_t back = 0;
    WaitObject::Kind kind = WaitObject::Kind::Unknown;
    std::string type = {};
    bool is_linked = false;
    uint32_t count = 0;  // of coroutines with it; 0: others at the same place have other ones
  };
  using Place = std::pair<uint32_t, uint32_t>;  // function, point

  void add_example(uint32_t coroutine, const AwaitedObjects::Match& match);
  bool may_wait(const SuspendedCoroutine& one) const;
  bool add(uint32_t coroutine, const Shape& shape);
  bool is_where_it_was(const SuspendedCoroutine& one);
  bool leads_to_waiter(uint64_t object, const Shape& shape) const;

  SuspendedCoroutines& found_;
  const Waiters& waiters_;
  CoroutineProgram& program_;
  std::map<Place, Shape> shapes_ = {};
  std::unordered_map<uint64_t, uint32_t> objects_ = {};  // of found_.awaited, by address
};

}  // namespace skein
