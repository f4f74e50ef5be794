#include "frames/lock_cycle.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "frames/asio_groups.h"
#include "frames/chains.h"

namespace skein {

using State = SuspendedCoroutine::State;
using Certainty = WaitObject::Certainty;

namespace {

// The object by which a coroutine waits for all of several others; null: none.
const WaitObject* join_of(const SuspendedCoroutines& found, uint32_t coroutine) {
  const SuspendedCoroutine& one = found.coroutines[coroutine];
  if (one.state != State::Waits || one.awaited == SuspendedCoroutine::none) return nullptr;
  const WaitObject& object = found.awaited[one.awaited];
  // Of Asio's groups, it is not known whether they wait for all.
  const bool is_of_all =
      object.kind == WaitObject::Kind::WhenAll && object.type != asio_group && !is_of_first(object);
  return is_of_all && !object.joined.empty() ? &object : nullptr;
}

// That a coroutine goes on only after what it waits for.
Certainty certainty_of_wait(const SuspendedCoroutines& found, uint32_t coroutine) {
  const SuspendedCoroutine& one = found.coroutines[coroutine];
  if (!one.is_certain) return Certainty::Perhaps;
  Certainty certainty = one.may_go_on ? Certainty::Probable : Certainty::Certain;
  if (one.awaits != SuspendedCoroutine::none) return certainty;
  const WaitObject& object = found.awaited[one.awaited];
  if (!object.holders.empty()) return std::min(certainty, object.holders.front().certainty);
  // A library's waits for all of them, also if one fails.
  const std::string& awaiter = found.places[one.place].awaiter;
  const bool is_known =
      awaiter.starts_with("cppcoro::") || awaiter.starts_with("coro::detail::when_all");
  return is_known ? certainty : std::min(certainty, Certainty::Probable);
}

uint32_t next_in_cycle(const SuspendedCoroutines& found, uint32_t at) {
  return found.coroutines[at].state == State::Waits ? may_wait_for(found, at)
                                                    : SuspendedCoroutine::none;
}

// A cycle through coroutines that wait for several others together.
class JoinedCycle {
 public:
  explicit JoinedCycle(const SuspendedCoroutines& found) : found_(found) {}

  LockCycle find(uint32_t coroutine) {
    constexpr size_t most = 1000;
    push(coroutine, Certainty::Certain, false);
    while (!path_.empty() && depth_of_.size() <= most) {
      Step& top = path_.back();
      const uint32_t next = successor(top);
      if (next == SuspendedCoroutine::none) {
        depth_of_[top.coroutine] = left;
        path_.pop_back();
        continue;
      }
      const Certainty certainty = std::min(top.certainty, certainty_of_wait(found_, top.coroutine));
      const bool has_join = top.has_join || join_of(found_, top.coroutine) != nullptr;
      const auto known = depth_of_.find(next);
      if (known == depth_of_.end())
        push(next, certainty, has_join);
      else if (known->second != left)
        note(known->second, certainty, has_join);
    }
    return best_;
  }

 private:
  static constexpr size_t left = SIZE_MAX;
  struct Step {
    uint32_t coroutine = 0;
    size_t next = 0;                           // of its successors
    Certainty certainty = Certainty::Certain;  // of the steps before
    bool has_join = false;                     // one of those
  };

  void push(uint32_t coroutine, Certainty certainty, bool has_join) {
    depth_of_[coroutine] = path_.size();
    path_.push_back({.coroutine = coroutine, .certainty = certainty, .has_join = has_join});
  }

  uint32_t successor(Step& step) const {
    if (const WaitObject* join = join_of(found_, step.coroutine)) {
      while (step.next < join->joined.size()) {
        const uint32_t child = join->joined[step.next++];
        if (found_.coroutines[child].state != State::Final) return child;
      }
      return SuspendedCoroutine::none;
    }
    return step.next++ == 0 ? next_in_cycle(found_, step.coroutine) : SuspendedCoroutine::none;
  }

  // A cycle from this depth of the path to its end.
  void note(size_t begin, Certainty certainty, bool has_join) {
    LockCycle cycle{.length = static_cast<uint32_t>(path_.size() - begin),
                    .contains_it = begin == 0,
                    .has_join = has_join,
                    .certainty = certainty};
    const auto rank = [](const LockCycle& one) {
      return std::tuple(one.length != 0, one.contains_it, one.certainty);
    };
    if (rank(cycle) <= rank(best_)) return;
    for (size_t i = begin; i < path_.size(); i++) add_member(path_[i].coroutine, cycle);
    best_ = std::move(cycle);
  }

  void add_member(uint32_t coroutine, LockCycle& cycle) const {
    cycle.joined_members.push_back(coroutine);
    cycle.may_run = cycle.may_run || found_.coroutines[coroutine].may_run;
  }

  const SuspendedCoroutines& found_;
  std::vector<Step> path_ = {};
  std::unordered_map<uint32_t, size_t> depth_of_ = {};  // in the path, or `left`
  LockCycle best_ = {};
};

}  // namespace

LockCycle find_lock_cycle(const SuspendedCoroutines& found, uint32_t coroutine) {
  constexpr uint32_t longest = 1000;
  LockCycle cycle{.certainty = Certainty::Certain};
  uint32_t slow = coroutine;  // finds a cycle that the coroutine is not in (Floyd)
  uint32_t at = coroutine;
  for (uint32_t i = 0; i < longest; i++) {
    const uint32_t next = next_in_cycle(found, at);
    if (next == SuspendedCoroutine::none)
      return join_of(found, at) == nullptr ? LockCycle() : JoinedCycle(found).find(coroutine);
    cycle.certainty = std::min(cycle.certainty, certainty_of_wait(found, at));
    cycle.may_run = cycle.may_run || found.coroutines[at].may_run;
    at = next;
    cycle.contains_it = at == coroutine;
    if (i % 2 != 0) slow = next_in_cycle(found, slow);
    if (cycle.contains_it || at == slow) {
      cycle.length = i + 1;
      return cycle;
    }
  }
  return {};
}

}  // namespace skein
