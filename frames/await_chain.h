// The coroutines that wait for one that runs, the one for the next: read from the memory of a
// process that goes on, for a sample of its stack.
//
//   AwaitChain chain(program);
//   Piece stack{.address = sp, .to = now};
//   const auto steps = chain.of(target, frame, pair, outer, stack);
//   if (steps && chain.is_same() && is_as_in_sample(stack)) chain.confirm(), show(*steps);
//
// As in frames/continuations.h, the promise of one that is awaited has the handle of the one that
// waits, and that has the other's, or contains its frame. Or several are awaited together: each has
// the address of a counter, with the handle of the one that waits behind it (when_all). What has
// been found once is looked at first: if nothing has changed, all is one read of memory.
//
// Some libraries resume what is awaited before they note what waits (cppcoro without symmetric
// transfer, when_all of libcoro). Then the code of the one that waits is further out on the same
// stack, and its frame refers to the other's, or has what the promise refers to.
//
// Asio's entry points wait together for the one that has spawned them: a() && b(). See
// frames/asio_groups.h.
//
// Coroutines must be prepared (CoroutineProgram::prepare()), as that may take long.
//
// The process may have gone on since the sample was taken: see is_same().
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "frames/asio_functions.h"
#include "frames/coroutine_program.h"
#include "target/target.h"

namespace skein {

class AwaitChain {
 public:
  static constexpr size_t most_steps = 500;
  static constexpr uint32_t unknown_point = UINT32_MAX;

  struct Step {
    uint32_t pair = 0;               // of the program
    uint32_t point = unknown_point;  // where it waits: the compiler's number
    uint64_t frame = 0;
    bool operator==(const Step&) const = default;
  };

  // A coroutine whose code is further out on the stack.
  struct Outer {
    uint64_t frame = 0;  // 0: unknown
    uint32_t pair = 0;
    uint64_t stack_end = 0;  // of its code's part of the stack
  };

  // `program` must outlive it. It may be that of another process with the same mappings as the
  // targets below.
  explicit AwaitChain(CoroutineProgram& program) : program_(program) {}

  // Those that wait for the coroutine of a frame, the innermost first. Nothing: it is not known, as
  // the frame is none of this pair, several may wait, more than `most_steps` do, or one is not
  // prepared. Valid until the next call. `last` is read after all of that, and the first frame once
  // more. It begins with the top of the stack. `outer`: from the innermost on.
  std::optional<std::span<const Step>> of(const Target& target, uint64_t frame, uint32_t pair,
                                          std::span<const Outer> outer, Piece& last);
  // Nothing is noted to wait for the coroutine of the last call, but one of `outer` has resumed it:
  // it is like a function that it has called. So is a generator at a co_yield.
  bool is_called() const { return is_called_; }
  // One may wait for the outermost coroutine of the last call: its promise refers to an object with
  // the handle of another one, which refers to that object, too.
  bool is_doubtful() const { return is_doubtful_; }

  // The pair that was not prepared in the last call.
  std::optional<uint32_t> unprepared() const { return unprepared_; }

  // Whether the frame still had what it had when `last` was read.
  bool is_same();
  // The result of the last call was that of one instant: what was found is looked at first from now
  // on.
  void confirm();

 private:
  static constexpr size_t head_words = 64;
  struct Head {
    uint64_t frame = 0;
    uint32_t pair = 0;
    bool is_elided = false;
    bool is_final = false;
    size_t count = 0;  // of words
    std::array<uint64_t, head_words> words = {};
  };
  enum class Waiter : uint8_t { None, Doubtful, Found, Unknown };
  // What was found for a frame: with the same promise, the same coroutine waits.
  struct Known {
    uint32_t pair = 0;
    uint64_t promise = 0;  // a hash of its words
    Waiter waiter = Waiter::None;
    uint64_t frame = 0;  // of the one that waits
    uint64_t back = 0;   // where that leads here: bytes from its frame; 0: it does not, or far away
    uint64_t word = 0;   // what is there
  };
  struct Candidate {
    uint64_t frame = 0;
    size_t slot = 0;  // the word of the promise
    uint64_t back = 0;
    uint64_t word = 0;
  };

  void read_ahead(const Target& target, uint64_t frame, Piece& last);
  void read_last(const Target& target, Piece& last);
  bool read(const Target& target, uint64_t frame, Head& head);
  bool read_either(const Target& target, uint64_t address, Head& head);
  bool set(uint64_t frame, std::span<const uint64_t> words, Head& head) const;
  bool is_promise_known(const Head& head);
  size_t promise_end(const Head& head);
  uint64_t promise_hash(const Head& head);
  bool is_in_chain(uint64_t frame) const;
  std::optional<Candidate> candidate(const Target& target, const Head& of, size_t slot);
  // What a frame may have of another coroutine: its handle, an address in its promise, another one.
  struct Words {
    uint64_t first = 0, last = 0;
    uint64_t other = 0;
    bool has(uint64_t word) const {
      return (word >= first && word <= last && word % 8 == 0 && word - first != 8) ||
             (other != 0 && word == other);
    }
  };
  bool refers(const Target& target, const Head& waiter, const Words& to, Candidate& found);
  bool is_inside(const Target& target, uint64_t frame, uint64_t address);
  bool leads_to(const Target& target, const Head& waiter, const Words& to, Candidate& found);
  std::optional<Candidate> waiting_object(const Target& target, const Head& of, size_t slot);
  bool may_lead_to_waiter(const Target& target, const Head& of, size_t slot);
  bool walk(const Target& target, const Head& from);
  bool walk_all(const Target& target, uint64_t frame, uint32_t pair, std::span<const Outer> outer,
                uint64_t sp);
  bool is_called(const Target& target, std::span<const Outer> outer, uint64_t sp);
  bool has_resumed(const Target& target, const Outer& outer, const Head& other, Head& found);
  Waiter find_waiter(const Target& target, const Head& of, Head& waiter);
  Waiter search(const Target& target, const Head& of, Known& known);
  Waiter caller(const Target& target, const Head& of, Known& known);
  std::optional<Spawned> spawned(uint32_t pair);
  bool innermost(const Target& target, uint64_t entry, Head& found);
  struct Spawner {
    uint64_t entry = 0;
    Head innermost = {};
  };
  std::optional<Spawner> find_spawner(const Target& target, const Head& entry);
  uint32_t point_of(const Target& target, const Head& head);

  CoroutineProgram& program_;
  std::unordered_map<uint64_t, Known> known_ = {};            // by frame
  std::vector<std::pair<uint64_t, Known>> unconfirmed_ = {};  // the same, of the last call
  std::vector<std::pair<uint32_t, size_t>> unconfirmed_votes_ = {};
  std::map<uint32_t, std::map<size_t, uint64_t>> votes_ = {};  // by pair, of its slots
  std::unordered_map<uint32_t, std::optional<Spawned>> spawned_ = {};  // by pair; nothing: no entry
  std::vector<Step> steps_ = {};
  Head first_ = {};  // of the last call
  struct Ahead {
    uint64_t frame = 0;
    size_t count = 0;
    std::array<uint64_t, head_words> words = {};
  };
  std::vector<Ahead> ahead_ = {};  // read at once, in the order of the chain
  Ahead again_ = {};               // the first frame, after all others
  bool is_all_ahead_ = false;      // nothing else was read
  std::vector<Piece> pieces_ = {};
  Head outermost_ = {};  // of its chain
  bool is_called_ = false;
  bool is_doubtful_ = false;
  bool is_unconfirmed_ = false;  // a promise has the handle of a coroutine that may not refer to it
  std::optional<uint32_t> unprepared_ = {};
};

}  // namespace skein
