// Which coroutine waits for which other one. The one that waits has the other's handle, in its
// awaiter; the other's promise has the handle of the one that it resumes at its end, its
// continuation. Both must be there.
//
//   Continuations continuations(memory, coroutines, program);  // reads frames
//   continuations.guess(found);   // sets SuspendedCoroutine::awaits, by frames alone
//   continuations.decide(found);  // again, with debug information
//
// Frames have handles for other reasons as well: an awaiter that resumes its parent's parent, a
// generator that knows its consumer, a promise that knows the root, what an earlier await has left.
// So the places count: that of the continuation is inside the promise, that of the handle behind
// it, and in the awaiter of the point where the coroutine is, if debug information describes it. A
// cycle is kept only if all of that is known, and types or code show that each resumes the one
// before it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "frames/coroutine_program.h"
#include "frames/memory_cache.h"
#include "frames/suspended_coroutines.h"

namespace skein {

class Continuations {
 public:
  // `coroutines` are sorted by frame, and must outlive this object. `waiters`: Adapters::waiters(),
  // or none. O(bytes of frames); memory: 8 bytes for each handle in them, and 16 for each coroutine.
  Continuations(MemoryCache& memory, std::span<const SuspendedCoroutine> coroutines,
                CoroutineProgram& program, std::span<const uint32_t> waiters = {});

  // Precondition: `found` has the coroutines given before, or a copy. Sets `awaits` of those that wait.
  // O(handles).
  // Elided frames become as certain as those around them.
  void guess(SuspendedCoroutines& found);
  // The same; their places must be known. May read debug information.
  void decide(SuspendedCoroutines& found);
  // After decide(), when the holders of locks are known: sets `may_go_on` of those that await a
  // waiter of a lock, directly or not. O(coroutines).
  void find_other_wakers(SuspendedCoroutines& found);

 private:
  // A handle of a coroutine in a frame, or the address of its promise.
  struct Link {
    uint32_t to = 0;  // the same: its own
    uint32_t offset = 0;
  };
  struct Candidate {
    uint32_t awaited = SuspendedCoroutine::none;
    uint16_t back = 0;      // bytes from the awaited frame: where the continuation is
    uint16_t slot = 0;      // bytes from the frame: the last place of the handle
    int8_t rank = 0;        // how well the slot agrees with the awaiter
    bool is_exact = false;  // the sizes of both promises are known
  };
  // A promise, by its type (a number of names_) or, if that is unknown (0), by its size.
  using PromiseKey = std::pair<uint32_t, uint64_t>;
  struct Promise {
    const FrameLayout* layout = nullptr;  // of the frame
    uint32_t name = 0;
  };
  enum class Leads : uint8_t { Unknown, Yes, No };

  void add(Link link);
  std::span<const Link> links_of(uint32_t from) const;
  void find_elided();
  bool is_in_promise(uint32_t coroutine, uint32_t offset);
  const std::vector<Candidate>& candidates(uint32_t waiter);  // until the next call
  std::optional<Candidate> candidate(uint32_t waiter, std::span<const Link> links);
  bool is_doubtful(uint32_t waiter);
  bool may_resume(uint32_t coroutine, uint32_t offset);
  int rank_of_slot(uint32_t waiter, uint32_t slot);
  bool awaits_no_coroutine(uint32_t waiter);
  bool is_untold(const SuspendedCoroutine& one);
  bool is_at_yield(uint32_t coroutine);
  uint64_t promise_end(uint32_t coroutine);
  PromiseKey promise_key(uint32_t coroutine);
  bool is_usual(const Candidate& one);
  void choose(uint32_t waiter);
  bool awaits_returned(uint32_t waiter);
  bool has_own_handle(uint32_t waiter, uint32_t slot);
  bool is_proven(const Candidate& edge, bool has_type);
  void cut_doubtful_cycles();
  bool leads_to_no_coroutine(const SuspendedCoroutine& one);
  const Promise& promise(uint32_t coroutine);
  const FrameLayout& layout(uint32_t coroutine);
  void set(SuspendedCoroutines& found);

  std::span<const SuspendedCoroutine> all_;
  std::vector<Link> links_ = {};      // by frame, then offset
  std::vector<uint32_t> first_ = {};  // of each frame's links; one more than frames
  CoroutineProgram& program_;
  SuspendedCoroutines* found_ = nullptr;
  bool has_types_ = false;  // debug information is used
  std::map<std::string, uint32_t> names_ = {};  // of promises
  std::vector<Promise> promises_ = {};          // by function
  std::vector<Leads> leads_ = {};               // by place: whether its awaiter may have a coroutine
  std::map<std::pair<uint32_t, uint32_t>, bool> untold_ = {};  // by function and point
  std::unordered_multimap<uint32_t, Candidate> elided_ = {};  // by the frame around them
  std::vector<Link> sorted_ = {};           // of one waiter, by `to`
  std::vector<Candidate> candidates_ = {};  // of one waiter
  std::vector<Candidate> chosen_ = {};      // by waiter
  std::map<PromiseKey, std::map<uint32_t, uint32_t>> votes_ = {};  // by place of the continuation
};

}  // namespace skein
