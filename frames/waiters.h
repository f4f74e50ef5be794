// Objects that suspended coroutines wait for, by the memory alone: an awaiter, in the frame of a
// coroutine, has the address of the object, and the object leads to the awaiter or to the frame.
//
//   Waiters waiters(target, memory, coroutines);
//   for (const WaitCandidate& one : waiters.candidates(i)) print(one.object);
//
// Nothing is known of types here: an object that has waiters is a list of nodes in frames. Each
// has the address of the object at the same place, and that of the frame nearby.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "frames/memory_cache.h"
#include "frames/suspended_coroutines.h"
#include "target/target.h"

namespace skein {

struct WaitCandidate {
  uint64_t object = 0;
  uint64_t slot = 0;    // where the frame has its address: bytes from the frame
  uint64_t handle = 0;  // where the awaiter has the frame's address; 0: it has not
  uint64_t node = 0;    // where the object leads: bytes from the frame; 0: to the frame
  uint64_t back = 0;    // where the object has the address that leads back: bytes from the object
  // The object has a list of awaiters. False: it has the address of the frame itself, as others
  // have that are not waited for.
  bool is_list = false;
  bool is_promise = false;  // it is one of Seastar's
  bool is_in_container = false;  // in a container of the object
  bool is_task =
      false;  // is_in_container, and the object is the frame or the promise of a coroutine
};

// Several coroutines that another one waits for: each has the address of a counter, behind which is
// that of the other's frame.
struct Join {
  uint32_t child = 0;
  uint32_t parent = 0;
  uint64_t counter = 0;  // the address
  uint64_t count = 0;    // its value
  uint64_t slot = 0;     // where the child has its address: bytes from the frame
};

// A coroutine that refers to an object with the address of another one's frame, which refers to the
// object, too, or contains it.
struct SharedObject {
  uint32_t child = 0;
  uint32_t parent = 0;
  uint64_t object = 0;  // the address
  auto operator<=>(const SharedObject&) const = default;
};

class Waiters {
 public:
  static constexpr size_t usually_most = 100'000;

  // `coroutines` (by frame) and `adapted`, which is Adapters::waiters() or empty, must outlive it.
  // `may_wait`: by coroutine, whether to look for what it waits for. Of more coroutines than `most`,
  // some at each place of each function are read: all, if there are few, else the first and the last
  // ones. The others have no candidates: see similar_waits.h. O(bytes of frames).
  Waiters(const Target& target, MemoryCache& memory, std::span<const SuspendedCoroutine> coroutines,
          const std::vector<bool>& may_wait, std::span<const uint32_t> adapted = {},
          size_t most = usually_most);

  // The frame as it was read: 4 KiB at most. Empty: it was not.
  std::span<const uint64_t> words(uint32_t coroutine) const;
  // Candidates with lists first, then those that are closest to what leads back, then those whose
  // address is closest to the node.
  const std::vector<WaitCandidate>& candidates(uint32_t coroutine) const;
  const std::vector<Join>& joins() const { return joins_; }
  // By parent and object, each once: of parents that are in no list of an object. O(words of
  // frames).
  std::vector<SharedObject> shared_objects() const;
  // Reads the frame of a coroutine as it was when it was searched.
  std::function<size_t(uint64_t address, std::span<uint8_t> to)> frame_memory(
      uint32_t coroutine) const;
  // The beginning of an object, at most `count` words.
  std::vector<uint64_t> content(uint64_t object, size_t count) const;
  // Whether the program may have an object there that it changes.
  bool may_be_object(uint64_t address) const;
  MemoryCache& memory() const { return memory_; }
  // Whether it has looked for what a coroutine waits for, and of how many it has.
  bool has_words(uint32_t coroutine) const { return !words(coroutine).empty(); }
  size_t searched() const { return searched_; }
  // The coroutine whose frame begins at the address; SuspendedCoroutine::none: there is none.
  uint32_t frame_at(uint64_t address) const;
  // The one in whose frame the address is.
  uint32_t frame_around(uint64_t address) const;
  // Whether it resumes the coroutine: the address of its frame, or of that of its adapter.
  bool is_handle_of(uint32_t coroutine, uint64_t word) const;

 private:
  // An awaiter in a list of an object.
  struct Node {
    uint64_t offset = 0;  // bytes from the frame
    uint64_t slot = 0;    // where it has the address of the object
    uint64_t back = 0;
  };
  using Nodes = std::unordered_multimap<uint32_t, Node>;  // by coroutine

  // A coroutine whose handle or awaiter is in a container of an object.
  struct Contained {
    uint32_t coroutine = 0;
    uint64_t back = 0;  // where the container is: bytes from the object
  };

  static void keep_closest(std::vector<WaitCandidate>& all);
  std::vector<bool> choose(size_t most) const;
  void read_frames(size_t most);
  void find_lists(uint32_t coroutine);
  void find_handles(uint32_t coroutine);
  void find_joins(uint32_t coroutine, const std::vector<bool>& may_wait);
  const Nodes& nodes_of(uint64_t object);
  const std::vector<Contained>& contained_in(uint64_t object);
  uint32_t coroutine_of(uint64_t word) const;
  void add_list(uint64_t object, uint64_t first, uint64_t back, Nodes& to);
  Nodes list_from(uint64_t object, uint64_t first, int64_t slot, uint64_t back) const;
  size_t most_words_at(uint64_t object, size_t count) const;
  bool has_handle_near(uint32_t coroutine, uint64_t offset) const;
  uint64_t word_in(uint32_t coroutine, uint64_t offset) const;
  uint32_t parent_around(uint64_t object) const;

  const Target& target_;
  MemoryCache& memory_;
  std::span<const SuspendedCoroutine> all_;
  std::vector<bool> may_wait_ = {};
  std::span<const uint32_t> adapted_;
  std::vector<uint64_t> words_ = {};
  std::vector<uint32_t> begins_ = {};  // of each frame's words; one more than frames
  size_t searched_ = 0;
  std::unordered_map<uint32_t, std::vector<WaitCandidate>> candidates_ = {};  // by coroutine
  std::unordered_map<uint64_t, Nodes> objects_ = {};
  std::unordered_map<uint64_t, std::vector<Contained>> contained_ = {};  // by object
  uint64_t container_budget_ = uint64_t{64} << 20;             // bytes
  std::vector<Join> joins_ = {};
};

}  // namespace skein
