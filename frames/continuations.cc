#include "frames/continuations.h"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

#include "frames/wait_shapes.h"

namespace skein {

namespace {

using State = SuspendedCoroutine::State;
constexpr uint32_t no_coroutine = SuspendedCoroutine::none;
constexpr uint64_t header = 16;        // of a frame: two addresses; then the promise
constexpr uint64_t largest = 1 << 16;  // bytes of a frame that are searched: offsets have 16 bits

bool is_suspend_always(std::string_view awaiter) {
  return awaiter.starts_with("std::") && awaiter.ends_with("::suspend_always");
}

}  // namespace

namespace {

// The first coroutine whose frame is at this address or behind it. Most are near `at`, because
// coroutines that await each other are created together: O(log distance).
size_t first_from(std::span<const SuspendedCoroutine> all, uint64_t frame, size_t at) {
  size_t begin = 0;
  size_t end = all.size();
  if (all[at].frame < frame) {
    begin = at + 1;
    for (size_t step = 1; begin + step <= all.size(); step *= 2) {
      const size_t probe = begin + step - 1;
      if (all[probe].frame >= frame) {
        end = probe;
        break;
      }
      begin = probe + 1;
    }
  } else {
    end = at;
    for (size_t step = 1; step <= end; step *= 2) {
      const size_t probe = end - step;
      if (all[probe].frame < frame) {
        begin = probe + 1;
        break;
      }
      end = probe;
    }
  }
  const auto found = std::lower_bound(
      all.begin() + static_cast<ptrdiff_t>(begin), all.begin() + static_cast<ptrdiff_t>(end), frame,
      [](const SuspendedCoroutine& a, uint64_t b) { return a.frame < b; });
  return static_cast<size_t>(found - all.begin());
}

}  // namespace

Continuations::Continuations(MemoryCache& memory, std::span<const SuspendedCoroutine> coroutines,
                             CoroutineProgram& program, std::span<const uint32_t> waiters)
    : all_(coroutines), program_(program) {
  first_.reserve(all_.size() + 1);
  std::vector<uint64_t> words;
  const uint64_t lowest = all_.empty() ? 0 : all_.front().frame;
  const uint64_t range = all_.empty() ? 0 : all_.back().frame + header - lowest;
  for (uint32_t i = 0; i < all_.size(); i++) {
    first_.push_back(static_cast<uint32_t>(links_.size()));
    words.resize(std::min<uint64_t>(all_[i].size, largest) / 8);
    if (!memory.read(all_[i].frame, words.data(), words.size() * 8)) continue;
    for (size_t at = header / 8; at < words.size(); at++) {
      if (words[at] - lowest > range) continue;
      for (const uint64_t frame : {words[at], words[at] - header}) {
        const size_t to = first_from(all_, frame, i);
        if (to == all_.size() || all_[to].frame != frame) continue;
        auto number = static_cast<uint32_t>(to);
        if (number == i && frame != words[at]) continue;  // its own promise
        if (number < waiters.size() && waiters[number] != no_coroutine) {
          number = waiters[number];
          if (number == i) continue;  // its own adapter
        }
        add({number, static_cast<uint32_t>(8 * at)});
        break;
      }
    }
  }
  first_.push_back(static_cast<uint32_t>(links_.size()));
}

// Of some millions, twice as many places as needed would be the largest part of the memory.
void Continuations::add(Link link) {
  if (links_.size() == UINT32_MAX) return;
  if (links_.size() == links_.capacity()) links_.reserve(links_.size() + links_.size() / 8 + 64);
  links_.push_back(link);
}

std::span<const Continuations::Link> Continuations::links_of(uint32_t from) const {
  return std::span(links_).subspan(first_[from], first_[from + 1] - first_[from]);
}

const FrameLayout& Continuations::layout(uint32_t coroutine) {
  static const FrameLayout unknown;
  return has_types_ ? *promise(coroutine).layout : unknown;
}

const Continuations::Promise& Continuations::promise(uint32_t coroutine) {
  promises_.resize(program_.pairs().size());
  Promise& found = promises_[all_[coroutine].function];
  if (found.layout != nullptr) return found;
  found.layout = &program_.layout(all_[coroutine].function);
  const auto& type = found.layout->promise;
  if (type && !type->name.empty())
    found.name = names_.try_emplace(type->name, names_.size() + 1).first->second;
  return found;
}

// Where the promise ends: bytes from the frame; 0: unknown. Behind g++'s promises is the handle of
// the coroutine itself, before the parameters and the number of the suspension point.
uint64_t Continuations::promise_end(uint32_t coroutine) {
  const FrameLayout& types = layout(coroutine);
  if (types.promise && types.promise->size != 0) return header + types.promise->size;
  const CoroutineProgram::Pair& pair = program_.pairs()[all_[coroutine].function];
  if (pair.function.compiler != CoroutineFunction::Compiler::Gcc || !pair.index) return 0;
  uint64_t end = 0;
  for (const Link& link : links_of(coroutine))
    if (link.to == coroutine && link.offset < pair.index->offset) end = link.offset;
  return end;
}

Continuations::PromiseKey Continuations::promise_key(uint32_t coroutine) {
  if (has_types_ && promise(coroutine).name != 0) return {promise(coroutine).name, 0};
  return {0, promise_end(coroutine)};
}

// Whether what it waits for cannot lead to a coroutine: a co_yield, an awaiter without pointers.
bool Continuations::awaits_no_coroutine(uint32_t waiter) {
  if (!has_types_) return false;
  const SuspendedCoroutine& one = found_->coroutines[waiter];
  if (found_->places[one.place].awaiter.empty()) return is_untold(one);
  leads_.resize(found_->places.size());
  Leads& known = leads_[one.place];
  if (known == Leads::Unknown) known = leads_to_no_coroutine(one) ? Leads::No : Leads::Yes;
  return known == Leads::No;
}

// Where an awaiter leaves no code, nothing gets the coroutine's handle: what has it is from before.
bool Continuations::is_untold(const SuspendedCoroutine& one) {
  if (one.state != State::Waits && one.state != State::Unknown) return false;
  if (one.point == SuspendedCoroutine::unknown || !program_.index_of(one.function)) return false;
  const auto [at, is_new] = untold_.try_emplace({one.function, one.point}, false);
  if (is_new) at->second = program_.is_untold(one.function, one.point);
  return at->second;
}

bool Continuations::leads_to_no_coroutine(const SuspendedCoroutine& one) {
  const std::string& awaiter = found_->places[one.place].awaiter;
  return is_suspend_always(awaiter) ||
         is_without_pointers(program_.awaiters(one.function, awaiter));
}

// Whether it is at a co_yield, as far as types show: its consumer has a value, and is not waiting
// for it.
bool Continuations::is_at_yield(uint32_t coroutine) {
  if (!has_types_) return false;
  const SuspendedCoroutine& one = found_->coroutines[coroutine];
  const std::string& awaiter = found_->places[one.place].awaiter;
  if (one.state != State::Waits || awaiter.empty()) return false;
  const FrameLayout& types = layout(coroutine);
  return is_suspend_always(awaiter) || awaiter.find("yield") != std::string::npos ||
         (types.promise && !types.promise->name.empty() &&
          awaiter.starts_with(types.promise->name + "::"));
}

// 0: the handle there is of something else. 1: unknown. From 2 on, the awaiter leads there.
int Continuations::rank_of_slot(uint32_t waiter, uint32_t slot) {
  const SuspendedCoroutine& one = found_->coroutines[waiter];
  const FrameLayout& types = layout(waiter);
  const std::string& awaiter = found_->places[one.place].awaiter;
  if (types.members.empty() || awaiter.empty()) return 1;
  const FrameMember* around = nullptr;
  bool has_awaiter = false;  // of this type
  bool leads_to_type = false;
  for (const FrameMember& member : types.members)
    if (slot >= member.offset && slot < member.offset + std::max<uint64_t>(member.type.size, 8))
      around = &member;
  if (around == nullptr) return 1;
  for (const FrameMember& member : types.members) {
    if (!member.is_awaiter || !is_awaiter_of(member.type, awaiter)) continue;
    has_awaiter = true;
    for (const TypedPointer& pointer : member.type.pointers)
      leads_to_type = leads_to_type || (!pointer.to.empty() && around->type.is_a(pointer.to));
  }
  if (is_awaiter_of(around->type, awaiter)) {
    if (!around->is_awaiter) return 3;
    return is_awaiter_of_point(around->name, one.point) ? 4 : 3;
  }
  if (!around->is_awaiter && leads_to_type) return 2;
  return has_awaiter || around->is_awaiter ? 0 : 1;
}

// Whether the coroutine may well wait for something else than a coroutine: its awaiter is unknown,
// or has a pointer to an object. Others may be resumed by whoever sees that what they await has
// ended.
bool Continuations::is_doubtful(uint32_t waiter) {
  if (!has_types_) return true;
  const SuspendedCoroutine& one = found_->coroutines[waiter];
  const std::string& awaiter = found_->places[one.place].awaiter;
  if (awaiter.empty()) return true;
  const std::vector<ObjectType>& types = program_.awaiters(one.function, awaiter);
  return std::any_of(types.begin(), types.end(), [](const ObjectType& type) {
    return std::any_of(type.pointers.begin(), type.pointers.end(),
                       [&](const TypedPointer& pointer) { return is_to_object(type, pointer); });
  });
}

// False: the coroutine never resumes what is there, as the code of its function shows.
bool Continuations::may_resume(uint32_t coroutine, uint32_t offset) {
  return program_.ending(all_[coroutine].function).resumes(offset) != FinalResumption::Answer::No;
}

// `links`: to one other coroutine.
std::optional<Continuations::Candidate> Continuations::candidate(uint32_t waiter,
                                                                 std::span<const Link> links) {
  constexpr uint64_t most_promise = header + 24 * 8;
  const uint32_t awaited = links.front().to;
  if (is_at_yield(awaited)) return {};
  const uint64_t end = promise_end(awaited);
  const uint64_t own_end = promise_end(waiter);
  Candidate found{.awaited = awaited, .is_exact = end != 0 && own_end != 0};
  for (const Link& link : links_of(awaited))
    if (link.to == waiter && found.back == 0 &&
        link.offset + 8 <= (end != 0 ? end : most_promise) &&
        (may_resume(awaited, link.offset) || !is_doubtful(waiter)))
      found.back = static_cast<uint16_t>(link.offset);
  if (found.back == 0) return {};
  // Of two that have the handle of each other, the one that is awaited has it further ahead.
  if (!found.is_exact && links.front().offset <= found.back) return {};
  for (const Link& link : links) {
    if (link.offset < own_end) continue;
    const int rank = rank_of_slot(waiter, link.offset);
    if (rank == 0 || rank < found.rank) continue;
    found.rank = static_cast<int8_t>(rank);
    found.slot = static_cast<uint16_t>(link.offset);
  }
  if (found.rank == 0) return {};
  return found;
}

// The frame of clang's that an elided one is in, if the latter's promise refers to it: its address
// is a constant distance away, so that it need not have it.
void Continuations::find_elided() {
  elided_.clear();
  for (uint32_t i = 0; i < all_.size(); i++) {
    if (!all_[i].is_elided) continue;
    for (const Link& link : links_of(i)) {
      const SuspendedCoroutine& around = all_[link.to];
      // The size of one that is elided itself is unknown: it goes up to the next frame, this one.
      const uint64_t size = std::min<uint64_t>(around.size, largest) + (around.is_elided ? 1 : 0);
      const bool is_inside = around.frame < all_[i].frame && all_[i].frame - around.frame < size;
      if (!is_inside || !is_in_promise(i, link.offset)) continue;
      elided_.emplace(link.to,
                      Candidate{.awaited = i,
                                .back = static_cast<uint16_t>(link.offset),
                                .slot = static_cast<uint16_t>(all_[i].frame - around.frame),
                                .rank = 1,
                                .is_exact = promise_end(i) != 0});
      break;
    }
  }
}

bool Continuations::is_in_promise(uint32_t coroutine, uint32_t offset) {
  constexpr uint64_t usual_end = header + 8 * 8;
  const uint64_t end = promise_end(coroutine);
  return offset + 8 <= (end != 0 ? end : usual_end);
}

const std::vector<Continuations::Candidate>& Continuations::candidates(uint32_t waiter) {
  candidates_.clear();
  sorted_.clear();
  for (const Link& link : links_of(waiter))
    if (link.to != waiter) sorted_.push_back(link);
  const auto [first, last] = elided_.equal_range(waiter);
  if ((sorted_.empty() && first == last) || awaits_no_coroutine(waiter)) return candidates_;
  std::sort(sorted_.begin(), sorted_.end(), [](const Link& a, const Link& b) {
    return std::tie(a.to, a.offset) < std::tie(b.to, b.offset);
  });
  for (size_t i = 0; i < sorted_.size();) {
    size_t end = i;
    while (end < sorted_.size() && sorted_[end].to == sorted_[i].to) end++;
    if (const auto one = candidate(waiter, std::span(sorted_).subspan(i, end - i)))
      candidates_.push_back(*one);
    i = end;
  }
  for (auto one = first; one != last; ++one) {
    const auto is_same = [&](const Candidate& other) {
      return other.awaited == one->second.awaited;
    };
    if (!is_at_yield(one->second.awaited) &&
        std::none_of(candidates_.begin(), candidates_.end(), is_same))
      candidates_.push_back(one->second);
  }
  return candidates_;
}

// Whether most continuations of such promises are at this place.
bool Continuations::is_usual(const Candidate& one) {
  const std::map<uint32_t, uint32_t>& votes = votes_[promise_key(one.awaited)];
  const auto own = votes.find(one.back);
  return own != votes.end() && std::all_of(votes.begin(), votes.end(), [&](const auto& other) {
           return other.first == one.back || other.second < own->second;
         });
}

// Generators know their consumers, which may wait for something else; what has ended may still have
// its continuation.
void Continuations::choose(uint32_t waiter) {
  const std::vector<Candidate>& all = candidates(waiter);
  const auto rank = [&](const Candidate& one) {
    return std::tuple(one.rank, all_[one.awaited].state != State::Final, is_usual(one), one.slot);
  };
  const auto best =
      std::max_element(all.begin(), all.end(),
                       [&](const Candidate& a, const Candidate& b) { return rank(a) < rank(b); });
  if (best != all.end()) chosen_[waiter] = *best;
}

// Whether what the coroutine awaits is of the type that the function of the other one returns, or
// inside of it: "task", "task::awaiter".
bool Continuations::awaits_returned(uint32_t waiter) {
  if (!has_types_) return false;
  const std::string& awaiter = found_->places[found_->coroutines[waiter].place].awaiter;
  const std::string& returned = layout(chosen_[waiter].awaited).returned;
  return !returned.empty() && (awaiter == returned || awaiter.starts_with(returned + "::"));
}

// Whether one that is awaited will resume the other, so that a cycle of such is a deadlock. Its
// promise may also have the handles of those that it has created. `has_type`: the awaiter is of the
// type that it returns.
bool Continuations::is_proven(const Candidate& edge, bool has_type) {
  return edge.is_exact && is_usual(edge) &&
         (has_type || program_.ending(all_[edge.awaited].function).resumes(edge.back) ==
                          FinalResumption::Answer::Yes);
}

// Whether the awaiter around a slot has the handle of the coroutine itself: then something else
// finds it there, such as a timer, and may resume the coroutine first.
bool Continuations::has_own_handle(uint32_t waiter, uint32_t slot) {
  constexpr uint64_t near = 64;  // bytes, if the awaiter's type is unknown
  uint64_t begin = slot - std::min<uint64_t>(slot, near);
  uint64_t end = slot + near;
  const SuspendedCoroutine& one = found_->coroutines[waiter];
  const std::string& awaiter = found_->places[one.place].awaiter;
  for (const FrameMember& member : layout(waiter).members)
    if (slot >= member.offset && slot < member.offset + member.type.size) {
      begin = member.offset;
      end = member.offset + member.type.size;
    }
  if (has_types_ && layout(waiter).members.empty() && !awaiter.empty())
    for (const ObjectType& type : program_.awaiters(one.function, awaiter))
      if (type.handle && *type.handle <= slot) {
        begin = slot - *type.handle;
        end = begin + type.size;
      }
  begin = std::max(begin, promise_end(waiter) + 8);  // behind the handle that g++ keeps
  const std::span<const Link> links = links_of(waiter);
  return std::any_of(links.begin(), links.end(), [&](const Link& link) {
    return link.to == waiter && link.offset >= begin && link.offset < end;
  });
}

void Continuations::cut_doubtful_cycles() {
  std::vector<uint32_t> seen(all_.size(), 0);  // by the number of the walk
  uint32_t walk = 0;
  for (uint32_t first = 0; first < all_.size(); first++) {
    if (seen[first] != 0) continue;
    walk++;
    std::vector<uint32_t> path;
    uint32_t at = first;
    while (at != no_coroutine && seen[at] == 0) {
      seen[at] = walk;
      path.push_back(at);
      at = chosen_[at].awaited;
    }
    if (at == no_coroutine || seen[at] != walk) continue;
    path.erase(path.begin(), std::find(path.begin(), path.end(), at));
    // A child that waits to be cancelled has its parent's handle, and the parent's promise has its own.
    std::vector<uint32_t> others;
    for (const uint32_t step : path)
      if (!awaits_returned(step)) others.push_back(step);
    if (!others.empty() && others.size() < path.size()) {
      for (const uint32_t step : others) chosen_[step] = {};
      continue;
    }
    for (const uint32_t step : path) {
      Candidate& edge = chosen_[step];
      if (edge.awaited != no_coroutine &&
          (!is_proven(edge, others.empty()) || has_own_handle(step, edge.slot)))
        edge = {};
    }
  }
}

void Continuations::guess(SuspendedCoroutines& found) {
  has_types_ = false;
  set(found);
  // What is inside of a frame is as certain; callers are before what they call.
  std::vector<std::pair<uint32_t, uint32_t>> inside;
  for (const auto& [around, one] : elided_) inside.emplace_back(one.awaited, around);
  std::sort(inside.begin(), inside.end());
  for (const auto& [coroutine, around] : inside)
    found.coroutines[coroutine].is_certain = found.coroutines[around].is_certain;
}

void Continuations::decide(SuspendedCoroutines& found) {
  for (SuspendedCoroutine& one : found.coroutines) one.awaits = no_coroutine;
  has_types_ = true;
  set(found);
}

// An awaiter of another type than what the task's function has returned may wait for more than the
// task: "with_timeout(child(), limit)".
void Continuations::find_other_wakers(SuspendedCoroutines& found) {
  found_ = &found;
  std::vector<uint32_t> waiter_of;
  for (const WaitObject& object : found.awaited) {
    if (object.holders.empty()) continue;
    if (waiter_of.empty()) {
      waiter_of.assign(all_.size(), no_coroutine);
      for (uint32_t i = 0; i < all_.size(); i++)
        if (const uint32_t awaited = found.coroutines[i].awaits; awaited != no_coroutine)
          waiter_of[awaited] = i;
    }
    // Each is looked at once.
    for (uint32_t at : object.waiters)
      while ((at = std::exchange(waiter_of[at], no_coroutine)) != no_coroutine)
        found.coroutines[at].may_go_on =
            chosen_[at].awaited == found.coroutines[at].awaits &&
            (!awaits_returned(at) || has_own_handle(at, chosen_[at].slot));
  }
}

void Continuations::set(SuspendedCoroutines& found) {
  found_ = &found;
  find_elided();
  chosen_.assign(all_.size(), {});
  votes_.clear();
  std::vector<uint32_t> several;
  for (uint32_t i = 0; i < all_.size(); i++) {
    const State state = found.coroutines[i].state;
    if (state != State::Waits && state != State::Unknown) continue;
    const std::vector<Candidate>& all = candidates(i);
    if (all.size() > 1) several.push_back(i);
    if (all.size() != 1) continue;
    chosen_[i] = all.front();
    votes_[promise_key(all.front().awaited)][all.front().back]++;
  }
  for (const uint32_t waiter : several) choose(waiter);
  cut_doubtful_cycles();
  for (uint32_t i = 0; i < all_.size(); i++)
    if (chosen_[i].awaited != no_coroutine) found.coroutines[i].awaits = chosen_[i].awaited;
}

}  // namespace skein
