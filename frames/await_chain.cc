#include "frames/await_chain.h"

#include <algorithm>
#include <cstring>

#include "frames/asio_functions.h"
#include "symbol/functions.h"

namespace skein {

namespace {

using Compiler = CoroutineFunction::Compiler;
constexpr uint64_t header = 16;              // of a frame: two addresses; then the promise
constexpr size_t usual_promise = 2 + 24;     // words from the frame, if its size is unknown
constexpr uint64_t largest_frame = 1 << 16;  // bytes that are searched for an elided frame
constexpr uint64_t most_children = 1'000'000;

// Whether a word may be the address of a frame, a promise or a counter.
bool may_be_address(uint64_t word) {
  return word % 8 == 0 && word >= 0x1000 && word < uint64_t{1} << 47;
}

size_t read_words(const Target& target, uint64_t address, std::span<uint64_t> to) {
  const std::span<uint8_t> bytes(reinterpret_cast<uint8_t*>(to.data()), to.size() * 8);  // NOLINT
  return target.read(address, bytes) / 8;
}

// The words of a block with a frame at its beginning: glibc has its size before it. What another
// allocator has there may be anything.
constexpr uint64_t most_frame = 4096;  // bytes
std::optional<size_t> block_words(const Target& target, uint64_t frame) {
  constexpr uint64_t least = 32, flags = 7, in_use = 1;
  uint64_t word = 0;
  (void)read_words(target, frame - 8, std::span(&word, 1));
  const uint64_t size = word & ~flags;
  if ((word & in_use) == 0 || size % 16 != 0 || size < least || size >= most_frame) return {};
  return (size - 8) / 8;
}

// The words of a frame, at most.
size_t frame_words(const Target& target, uint64_t frame) {
  return block_words(target, frame).value_or(most_frame / 8);
}

}  // namespace

// Whether words that begin at an address are those of a frame.
bool AwaitChain::set(uint64_t frame, std::span<const uint64_t> words, Head& head) const {
  if (words.size() < 2) return false;
  const std::optional<uint32_t> pair = program_.pair_of_destroy(words[1]);
  if (!pair) return false;
  const CoroutineFunction& function = program_.pairs()[*pair].function;
  if (words[0] != 0 && words[0] != function.resume) return false;
  head.frame = frame;
  head.pair = *pair;
  head.is_final = words[0] == 0;
  head.is_elided = words[1] == function.cleanup;
  head.count = std::min(words.size(), head_words);
  std::copy_n(words.begin(), head.count, head.words.begin());
  return true;
}

// Reads the frames that have led to each other before, and the rest, in one system call.
void AwaitChain::read_ahead(const Target& target, uint64_t frame, Piece& last) {
  constexpr size_t most = 64;
  ahead_.clear();
  for (uint64_t at = frame; ahead_.size() < most;) {
    if (std::any_of(ahead_.begin(), ahead_.end(),
                    [&](const Ahead& one) { return one.frame == at; }))
      break;
    ahead_.emplace_back().frame = at;
    const auto known = known_.find(at);
    if (known == known_.end() || known->second.waiter != Waiter::Found) break;
    at = known->second.frame;
  }
  pieces_.clear();
  const auto piece = [](Ahead& one) {
    return Piece{.address = one.frame,
                 .to = {reinterpret_cast<uint8_t*>(one.words.data()), 8 * head_words}};  // NOLINT
  };
  for (Ahead& one : ahead_) pieces_.push_back(piece(one));
  again_.frame = frame;
  pieces_.push_back(last);
  pieces_.push_back(piece(again_));
  target.read(pieces_);
  for (size_t i = 0; i < ahead_.size(); i++) ahead_[i].count = pieces_[i].count / 8;
  last.count = pieces_[ahead_.size()].count;
  again_.count = pieces_.back().count / 8;
  is_all_ahead_ = true;
}

void AwaitChain::read_last(const Target& target, Piece& last) {
  pieces_.assign(1, last);
  pieces_.push_back(
      {.address = again_.frame,
       .to = {reinterpret_cast<uint8_t*>(again_.words.data()), 8 * head_words}});  // NOLINT
  target.read(pieces_);
  last.count = pieces_[0].count;
  again_.count = pieces_[1].count / 8;
}

bool AwaitChain::read(const Target& target, uint64_t frame, Head& head) {
  for (const Ahead& one : ahead_)
    if (one.frame == frame) return set(frame, std::span(one.words).first(one.count), head);
  is_all_ahead_ = false;
  std::array<uint64_t, head_words> words;
  const size_t count = read_words(target, frame, words);
  return set(frame, std::span(words).first(count), head);
}

// The frame whose handle or promise is at an address.
bool AwaitChain::read_either(const Target& target, uint64_t address, Head& head) {
  is_all_ahead_ = false;
  std::array<uint64_t, head_words + 2> words;
  const size_t count = read_words(target, address - header, words);
  const std::span<const uint64_t> all = std::span(words).first(count);
  if (count > 2 && set(address, all.subspan(2), head)) return true;
  // The memory before may be missing.
  if (count == 0) return read(target, address, head);
  return set(address - header, all, head);
}

bool AwaitChain::is_promise_known(const Head& head) {
  const CoroutineProgram::Pair& pair = program_.pairs()[head.pair];
  return pair.promise_size != 0 || pair.function.compiler == Compiler::Gcc;
}

// The first word that is not, or not entirely, in the promise. Behind g++'s is the handle of the
// coroutine itself, before the number of the suspension point. Asio's promise begins with one.
size_t AwaitChain::promise_end(const Head& head) {
  if (const uint64_t size = program_.pairs()[head.pair].promise_size; size != 0)
    return std::min<size_t>((header + size) / 8, head.count);
  const auto index = program_.index_of(head.pair);
  size_t end = 0;
  if (index && program_.pairs()[head.pair].function.compiler == Compiler::Gcc)
    for (size_t i = 3; i < head.count && 8 * i < index->offset; i++)
      if (head.words[i] == head.frame) end = i;
  if (end == 0) end = usual_promise;
  return std::min(end, head.count);
}

uint64_t AwaitChain::promise_hash(const Head& head) {
  uint64_t hash = 0xcbf29ce484222325;
  const size_t end = promise_end(head);
  for (size_t i = 2; i < end; i++) {
    hash = (hash ^ head.words[i]) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 32;
  }
  return hash;
}

uint32_t AwaitChain::point_of(const Target& target, const Head& head) {
  const auto index = program_.index_of(head.pair);
  if (!index || index->size > 8) return unknown_point;
  uint64_t number = 0;
  if (index->offset + index->size <= 8 * head.count) {
    std::memcpy(&number, reinterpret_cast<const uint8_t*>(head.words.data()) + index->offset,
                index->size);
  } else {
    is_all_ahead_ = false;
    std::array<uint8_t, 8> bytes = {};
    if (target.read(head.frame + index->offset, std::span(bytes).first(index->size)) != index->size)
      return unknown_point;
    std::memcpy(&number, bytes.data(), sizeof number);
  }
  return static_cast<uint32_t>(std::min<uint64_t>(number, unknown_point));
}

// Whether a frame has one of these words behind its promise.
bool AwaitChain::refers(const Target& target, const Head& waiter, const Words& to,
                        Candidate& found) {
  if (!program_.is_prepared(waiter.pair)) {
    unprepared_ = waiter.pair;
    return false;
  }
  constexpr size_t most = 512;  // words of a frame
  const size_t words = frame_words(target, waiter.frame);
  // In a promise it may be for other reasons.
  const size_t begin = is_promise_known(waiter) ? promise_end(waiter) : 2;
  for (size_t i = begin; i < std::min(waiter.count, words); i++)
    if (to.has(waiter.words[i])) {
      found.back = 8 * i;
      found.word = waiter.words[i];
      return true;
    }
  if (waiter.count < head_words) return false;
  std::array<uint64_t, most - head_words> rest;
  const size_t count = read_words(target, waiter.frame + 8 * head_words, rest);
  for (size_t i = 0; i < count && head_words + i < words; i++)
    if (to.has(rest[i])) {
      found.back = 8 * (head_words + i);
      found.word = rest[i];
      return true;
    }
  return false;
}

// Whether a frame has the address of an object, behind its promise, that begins with one of these
// words: a task that is awaited by reference, or is in a container, is not in the frame.
bool AwaitChain::leads_to(const Target& target, const Head& waiter, const Words& to,
                          Candidate& found) {
  constexpr size_t most = 512, object_words = 4;
  is_all_ahead_ = false;
  std::array<uint64_t, most> words;
  const size_t size = std::min(frame_words(target, waiter.frame), most);
  const size_t count = read_words(target, waiter.frame, std::span(words).first(size));
  uint64_t before = 0;
  for (size_t i = is_promise_known(waiter) ? promise_end(waiter) : 2; i < count; i++) {
    const uint64_t word = words[i];
    const bool is_inside = word >= waiter.frame && word < waiter.frame + 8 * size;
    if (!may_be_address(word) || is_inside || word == before) continue;
    before = word;
    std::array<uint64_t, object_words> object;
    const size_t read = read_words(target, word, object);
    if (std::none_of(object.begin(), object.begin() + static_cast<ptrdiff_t>(read),
                     [&](uint64_t one) { return to.has(one); }))
      continue;
    found.back = 8 * i;
    found.word = word;
    return true;
  }
  return false;
}

// Whether an address is in a frame, behind its header.
bool AwaitChain::is_inside(const Target& target, uint64_t frame, uint64_t address) {
  return address > frame + header && address - frame < most_frame &&
         address - frame < 8 * frame_words(target, frame);
}

// One that waits does not wait for itself.
bool AwaitChain::is_in_chain(uint64_t frame) const {
  return frame == first_.frame || std::any_of(steps_.begin(), steps_.end(),
                                              [&](const Step& one) { return one.frame == frame; });
}

// The coroutine that waits, if this word of the promise leads there.
std::optional<AwaitChain::Candidate> AwaitChain::candidate(const Target& target, const Head& of,
                                                           size_t slot) {
  const uint64_t word = of.words[slot];
  if (!may_be_address(word) || word == of.frame || word == of.frame + header) return {};
  Candidate found{.slot = slot};
  Head waiter;
  if (read_either(target, word, waiter)) {
    if (waiter.is_final || is_in_chain(waiter.frame)) return {};
    found.frame = waiter.frame;
    if (of.is_elided && of.frame > waiter.frame && of.frame - waiter.frame < largest_frame)
      return found;
    // What has the handle may be a part of the promise, to which the other one refers. Without its
    // size, it may be a variable.
    Words handles{.first = of.frame, .last = of.frame, .other = of.frame + header};
    if (program_.pairs()[of.pair].promise_size != 0)
      handles.last = std::max(of.frame + 8 * slot, handles.other);
    if (refers(target, waiter, handles, found)) return found;
    if (unprepared_ || !is_promise_known(of)) return {};
    if (leads_to(target, waiter, handles, found)) return found;
    is_unconfirmed_ = true;
    return {};
  }
  constexpr size_t object_words = 8;
  std::array<uint64_t, object_words> object;
  const size_t count = read_words(target, word, object);
  if (count < 2) return {};
  if (is_promise_known(of))
    if (const auto shared = waiting_object(target, of, slot)) return shared;
  for (size_t i = 0; i + 1 < count; i++) {
    // A counter of 32 bits has padding behind it.
    const auto children = static_cast<uint32_t>(object[i]);
    if (children == 0 || children > most_children || !may_be_address(object[i + 1]) ||
        !read_either(target, object[i + 1], waiter) || waiter.is_final || is_in_chain(waiter.frame))
      continue;
    found.frame = waiter.frame;
    if (is_inside(target, waiter.frame, word)) return found;
    const Words handles{.first = of.frame, .last = of.frame + header, .other = word};
    if (i == 0) return refers(target, waiter, handles, found) ? std::optional(found) : std::nullopt;
  }
  return {};
}

// The coroutine in whose frame this word of the promise leads to an object with its handle, as an
// awaiter that is in a list (shared_task of cppcoro).
std::optional<AwaitChain::Candidate> AwaitChain::waiting_object(const Target& target,
                                                                const Head& of, size_t slot) {
  const uint64_t word = of.words[slot];
  std::array<uint64_t, 3> object;
  const size_t count = read_words(target, word, object);
  for (size_t i = 0; i < count; i++) {
    Candidate found{.slot = slot};
    Head waiter;
    if (!may_be_address(object[i]) || object[i] >= word || word - object[i] >= most_frame ||
        !read(target, object[i], waiter) || waiter.is_final || is_in_chain(waiter.frame) ||
        word - waiter.frame >= 8 * frame_words(target, waiter.frame))
      continue;
    const Words handles{.first = of.frame, .last = of.frame + header};
    if (!refers(target, waiter, handles, found)) return {};
    // Another one may be behind it in the list.
    for (size_t k = 0; k < count; k++) {
      std::array<uint64_t, 3> next;
      Head other;
      if (k == i || !may_be_address(object[k])) continue;
      for (size_t n = read_words(target, object[k], next); n-- > 0;)
        if (may_be_address(next[n]) && read(target, next[n], other) && other.frame != waiter.frame)
          return {};
    }
    found.frame = waiter.frame;
    return found;
  }
  return {};
}

// Whether this word of the promise leads to an object with the handle of a coroutine that refers to
// the object, too. That is how results are shared. What several promises lead to, or what has
// several handles, is rather a scheduler.
bool AwaitChain::may_lead_to_waiter(const Target& target, const Head& of, size_t slot) {
  constexpr size_t most = 16;  // words
  const uint64_t word = of.words[slot];
  if (!may_be_address(word) || (word >= of.frame && word - of.frame < most_frame)) return false;
  std::array<uint64_t, most> object;
  const size_t count = read_words(target, word, object);
  Head found;
  for (size_t i = 0; i < count; i++) {
    Head one;
    if (!may_be_address(object[i]) || !read(target, object[i], one) || one.frame == found.frame)
      continue;
    if (found.frame != 0) return false;
    found = one;
  }
  if (found.frame == 0 || found.is_final || is_in_chain(found.frame)) return false;
  if (!program_.is_prepared(found.pair)) {
    unprepared_ = found.pair;
    return false;
  }
  const size_t end = promise_end(found);
  for (size_t i = 2; i < end; i++)
    if (found.words[i] == word) return false;
  Candidate ignored;
  return is_inside(target, found.frame, word) || refers(target, found, {.other = word}, ignored);
}

// Of Asio's promises, whose functions get their address: they begin with the handle of the
// coroutine, the thread of coroutines, and the promise of the one that waits, of the same kind
// (asio/impl/awaitable.hpp, awaitable_frame_base).
AwaitChain::Waiter AwaitChain::caller(const Target& target, const Head& of, Known& known) {
  constexpr size_t handle = 2, slot = 4;
  const auto is_of_asio = [](const Head& one) {
    return one.count > slot && one.words[handle] == one.frame;
  };
  if (!is_of_asio(of)) return Waiter::Unknown;
  if (of.words[slot] == 0) return spawned(of.pair) ? Waiter::None : Waiter::Unknown;
  Head waiter;
  if (!may_be_address(of.words[slot]) || !read(target, of.words[slot] - header, waiter) ||
      !is_of_asio(waiter))
    return Waiter::Unknown;
  const auto found = candidate(target, of, slot);
  if (!found || unprepared_) return Waiter::Unknown;
  known.frame = found->frame;
  known.back = found->back;
  known.word = found->word;
  return Waiter::Found;
}

AwaitChain::Waiter AwaitChain::search(const Target& target, const Head& of, Known& known) {
  std::vector<Candidate> found;
  is_unconfirmed_ = false;
  const size_t end = promise_end(of);
  // Where the size of the promise is not known, the handle of an older frame may be left in what
  // looks like it: a continuation is read by the coroutine, at its end.
  const CoroutineProgram::Pair& pair = program_.pairs()[of.pair];
  const bool is_sized = pair.promise_size != 0;
  if (!is_sized) {
    const Waiter of_asio = caller(target, of, known);
    if (of_asio != Waiter::Unknown || unprepared_ || pair.promise_use.is_passed_on) return of_asio;
  }
  for (size_t slot = 2; slot < end; slot++) {
    constexpr size_t most_slots = 10;
    if (!is_sized && (slot >= most_slots || (pair.promise_use.read >> slot & 1) == 0)) continue;
    const auto one = candidate(target, of, slot);
    if (!one) continue;
    const auto same = std::find_if(found.begin(), found.end(), [&](const Candidate& other) {
      return other.frame == one->frame;
    });
    if (same == found.end()) found.push_back(*one);
  }
  if (unprepared_) return Waiter::Unknown;
  if (found.empty() && is_unconfirmed_) return Waiter::Doubtful;
  if (found.empty()) {
    for (size_t slot = 2; is_sized && slot < end; slot++)
      if (may_lead_to_waiter(target, of, slot)) return Waiter::Doubtful;
    return unprepared_ ? Waiter::Unknown : Waiter::None;
  }
  auto& votes = votes_[of.pair];
  if (found.size() == 1) {
    unconfirmed_votes_.emplace_back(of.pair, found.front().slot);
  } else {
    // Where the promises of this coroutine have had it when there was only one.
    const auto votes_of = [&](const Candidate& one) {
      const auto counted = votes.find(one.slot);
      return counted == votes.end() ? uint64_t{0} : counted->second;
    };
    std::stable_sort(found.begin(), found.end(), [&](const Candidate& a, const Candidate& b) {
      return votes_of(a) > votes_of(b);
    });
    if (votes_of(found[0]) == votes_of(found[1])) return Waiter::Unknown;
  }
  known.frame = found.front().frame;
  known.back = found.front().back;
  known.word = found.front().word;
  return Waiter::Found;
}

AwaitChain::Waiter AwaitChain::find_waiter(const Target& target, const Head& of, Head& waiter) {
  const uint64_t promise = promise_hash(of);
  const auto at = known_.find(of.frame);
  if (at != known_.end() && at->second.pair == of.pair && at->second.promise == promise) {
    const Known& known = at->second;
    if (known.waiter != Waiter::Found) return known.waiter;
    if (!is_in_chain(known.frame) && read(target, known.frame, waiter) && !waiter.is_final) {
      uint64_t word = 0;
      if (known.back / 8 < waiter.count) {
        word = waiter.words[known.back / 8];
      } else {
        is_all_ahead_ = false;
        (void)read_words(target, known.frame + known.back, std::span(&word, 1));
      }
      if (known.back == 0 || word == known.word) return Waiter::Found;
    }
  }
  Known known{.pair = of.pair, .promise = promise};
  known.waiter = search(target, of, known);
  if (known.waiter == Waiter::Found && !read(target, known.frame, waiter)) return Waiter::Unknown;
  if (unprepared_) return Waiter::Unknown;
  unconfirmed_.emplace_back(of.frame, known);
  return known.waiter;
}

std::optional<std::span<const AwaitChain::Step>> AwaitChain::of(const Target& target,
                                                                uint64_t frame, uint32_t pair,
                                                                std::span<const Outer> outer,
                                                                Piece& last) {
  steps_.clear();
  unconfirmed_.clear();
  unconfirmed_votes_.clear();
  first_.count = 0;
  is_called_ = false;
  is_doubtful_ = false;
  unprepared_.reset();
  if (!may_be_address(frame)) return {};
  read_ahead(target, frame, last);
  const bool is_known = walk_all(target, frame, pair, outer, last.address);
  if (is_known && !is_all_ahead_) read_last(target, last);
  if (!is_known) return {};
  return steps_;
}

bool AwaitChain::walk_all(const Target& target, uint64_t frame, uint32_t pair,
                          std::span<const Outer> outer, uint64_t sp) {
  Head at;
  if (!read(target, frame, at) || at.pair != pair) return false;
  first_ = at;
  if (!walk(target, at)) return false;
  if (is_called(target, outer, sp)) {
    is_called_ = true;
    return true;
  }
  for (const Outer& one : outer) {
    if (is_in_chain(one.frame) || !has_resumed(target, one, outermost_, at)) continue;
    if (steps_.empty()) {
      is_called_ = true;
      return true;
    }
    steps_.push_back({.pair = at.pair, .point = point_of(target, at), .frame = at.frame});
    if (!walk(target, at)) return false;
  }
  return !unprepared_;
}

// Whether nothing waits for the first coroutine, but code further out on the stack uses it like a
// function: its frame is on that stack, or in the frame of a coroutine that runs there, or it is a
// generator, which only its consumer resumes.
bool AwaitChain::is_called(const Target& target, std::span<const Outer> outer, uint64_t sp) {
  if (!steps_.empty() || outermost_.frame != first_.frame || outer.empty()) return false;
  if (first_.is_elided) {
    if (first_.frame >= sp && first_.frame < outer.back().stack_end) return true;
    for (const Outer& one : outer) {
      if (one.frame == 0 || first_.frame <= one.frame || first_.frame - one.frame >= most_frame)
        continue;
      const auto words = block_words(target, one.frame);
      is_all_ahead_ = false;
      if (words && first_.frame - one.frame < 8 * *words) return true;
    }
  }
  return program_.is_at_yield(first_.pair, point_of(target, first_));
}

// Whether a coroutine further out on the stack waits for another one that it has resumed.
bool AwaitChain::has_resumed(const Target& target, const Outer& outer, const Head& other,
                             Head& found) {
  constexpr uint64_t most = 4096;  // bytes of a frame
  if (!may_be_address(outer.frame) || !read(target, outer.frame, found) ||
      found.pair != outer.pair || found.is_final)
    return false;
  const size_t end = promise_end(other);
  for (size_t i = 2; i < end; i++)
    if (other.words[i] > found.frame + header && other.words[i] - found.frame < most) return true;
  Candidate ignored;
  return refers(target, found, {.first = other.frame, .last = other.frame + header}, ignored);
}

// Nothing: it is no entry point.
std::optional<Spawned> AwaitChain::spawned(uint32_t pair) {
  const auto [known, is_new] = spawned_.try_emplace(pair);
  const std::string& name = program_.pairs()[pair].function.name;
  if (!is_new || name.empty()) return known->second;
  const std::string readable = demangled(name);
  if (is_spawn_entry(readable)) known->second = skein::spawned(readable);
  return known->second;
}

// The innermost coroutine of those that an entry point waits for: its promise has the address of
// that one's promise behind four words and the executor (asio/impl/awaitable.hpp, top_of_stack_).
bool AwaitChain::innermost(const Target& target, uint64_t entry, Head& found) {
  Head head;
  if (!read(target, entry, head) || head.is_final || !spawned(head.pair)) return false;
  constexpr size_t first = 6, largest_executor = 12;  // behind the header of the frame, too
  const size_t end = std::min(head.count, first + largest_executor + 1);
  for (size_t i = first; i < end; i++)
    if (may_be_address(head.words[i]) && head.words[i] != entry + header &&
        read(target, head.words[i] - header, found))
      return !found.is_final && !spawned(found.pair);
  return false;
}

// What waits for the coroutine that an entry point has called: it, or the std::shared_ptr of a
// group that it has, refers to the promise of the other's entry point. Words of an older frame in
// the same memory may, too: nothing, if there are several.
std::optional<AwaitChain::Spawner> AwaitChain::find_spawner(const Target& target,
                                                            const Head& entry) {
  constexpr size_t most = 512, counters = 3, state = 10;  // words
  const auto kind = spawned(entry.pair);
  if (!kind || *kind == Spawned::Detached) return {};
  std::array<uint64_t, most> words = {};
  const size_t count =
      read_words(target, entry.frame, std::span(words).first(frame_words(target, entry.frame)));
  is_all_ahead_ = false;
  std::optional<Spawner> found;
  bool is_unique = true;
  // `behind`: in older versions, as of Boost 1.74, a handler has the promise of the innermost one.
  const auto is_innermost = [&](uint64_t one, uint64_t behind, Head& result) {
    Head head;
    if (innermost(target, one, result)) return true;
    return may_be_address(behind) && read(target, one, head) && !head.is_final &&
           spawned(head.pair) && read(target, behind - header, result) && !result.is_final &&
           !spawned(result.pair);
  };
  const auto add = [&](uint64_t word, uint64_t behind) {
    Spawner one{.entry = word - header};
    if (!may_be_address(word) || one.entry == entry.frame || is_in_chain(one.entry) ||
        (found && found->entry == one.entry) || !is_innermost(one.entry, behind, one.innermost) ||
        is_in_chain(one.innermost.frame))
      return;
    is_unique = !found;
    found = one;
  };
  for (size_t i = 2; i < count && is_unique; i++) {
    if (*kind == Spawned::Awaited) {
      add(words[i], i + 1 < count ? words[i + 1] : 0);
      continue;
    }
    // An object that was created together with its counters: libstdc++'s, libc++'s.
    const uint64_t control = i + 1 < count ? words[i + 1] : 0, distance = words[i] - control;
    if ((distance != 16 && distance != 24) || !may_be_address(control)) continue;
    std::array<uint64_t, counters + state> object;
    const size_t read = read_words(target, control, object);
    for (size_t k = distance / 8; k < read && is_unique; k++) add(object[k], 0);
  }
  return is_unique ? found : std::nullopt;
}

// Adds those that wait for a coroutine to steps_. False: they are not known.
bool AwaitChain::walk(const Target& target, const Head& from) {
  Head at = from;
  // What is added counts if it leads to the entry point of the one that has spawned the others.
  uint64_t expected = 0;
  size_t known_steps = 0;
  Head known_outermost;
  while (steps_.size() < most_steps) {
    if (!program_.is_prepared(at.pair)) {
      unprepared_ = at.pair;
      return false;
    }
    Head next;
    const Waiter waiter = find_waiter(target, at, next);
    if (waiter == Waiter::Unknown || unprepared_) return false;
    outermost_ = at;
    if (waiter == Waiter::None || waiter == Waiter::Doubtful) {
      is_doubtful_ = waiter == Waiter::Doubtful;
      if (expected != 0 && at.frame != expected) {
        steps_.resize(known_steps);
        outermost_ = known_outermost;
        return true;
      }
      known_steps = steps_.size();
      known_outermost = at;
      const std::optional<Spawner> spawner = find_spawner(target, at);
      if (!spawner) return true;
      expected = spawner->entry;
      next = spawner->innermost;
    }
    steps_.push_back({.pair = next.pair, .point = point_of(target, next), .frame = next.frame});
    at = next;
  }
  return false;
}

void AwaitChain::confirm() {
  constexpr size_t most_known = 1 << 16;
  if (known_.size() >= most_known) known_.clear();
  for (const auto& [frame, known] : unconfirmed_) known_[frame] = known;
  for (const auto& [pair, slot] : unconfirmed_votes_) votes_[pair][slot]++;
  unconfirmed_.clear();
  unconfirmed_votes_.clear();
}

bool AwaitChain::is_same() {
  Head now;
  return first_.count != 0 && set(first_.frame, std::span(again_.words).first(again_.count), now) &&
         now.pair == first_.pair && now.is_final == first_.is_final &&
         promise_hash(now) == promise_hash(first_);
}

}  // namespace skein
