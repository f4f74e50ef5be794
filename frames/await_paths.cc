#include "frames/await_paths.h"

#include <algorithm>

namespace skein {

AwaitPaths::AwaitPaths(const ControlFlow& flow, const Predecessors& before,
                       const std::vector<Store>& stores, const Calls& calls)
    : flow_(flow), before_(before), calls_(calls) {
  const auto all = flow_.instructions();
  points_.resize(all.size());
  for (const Store& store : stores)
    if (const auto at = flow_.find(store.begin)) points_[*at] = store.point;
  for (size_t function = 0; function < calls.size(); function++) {
    std::vector<uint32_t>& call_at = call_at_[function];
    call_at.assign(all.size(), none);
    for (uint32_t i = 0; i < calls[function].size(); i++) {
      const AwaitCall& call = calls[function][i];
      auto at = std::lower_bound(all.begin(), all.end(), call.begin,
                                 [](const Instruction& a, uint64_t b) { return a.address < b; });
      // Of calls within each other, the outer one is first.
      for (; at != all.end() && at->address < call.end && steps_++ < most_steps; ++at)
        if (uint32_t& known = call_at[static_cast<size_t>(at - all.begin())]; known == none) known = i;
    }
  }
}

// Whether every path to the store passes the call, before any other store: behind that one, the
// coroutine was suspended, and what goes on there has not passed the call. What no instruction leads to
// is where the function begins, or goes on after an exception.
bool AwaitPaths::passes(size_t store, Function function, uint32_t call) const {
  std::vector<bool> seen(before_.size());
  std::vector<size_t> work = {store};
  while (!work.empty()) {
    const size_t at = work.back();
    work.pop_back();
    if (at == 0 || before_[at].empty() || steps_++ >= most_steps) return false;
    for (const size_t previous : before_[at]) {
      if (seen[previous]) continue;
      if (points_[previous]) return false;
      seen[previous] = true;
      const uint32_t found = call_at_[function][previous];
      if (found == none || calls_[function][found].call != call) work.push_back(previous);
    }
  }
  return true;
}

std::optional<size_t> AwaitPaths::before(const Store& store, Function function) const {
  const auto begin = flow_.find(store.begin);
  if (!is_complete() || !begin || calls_[function].empty()) return {};
  std::vector<bool> seen(before_.size());
  std::vector<uint32_t> refused;
  std::vector<size_t> work = {*begin};
  for (size_t i = 0; i < work.size(); i++)  // the nearest first
    for (const size_t previous : before_[work[i]]) {
      if (seen[previous] || points_[previous]) continue;
      seen[previous] = true;
      work.push_back(previous);
      const uint32_t found = call_at_[function][previous];
      if (found == none) continue;
      const uint32_t call = calls_[function][found].call;
      if (std::find(refused.begin(), refused.end(), call) != refused.end()) continue;
      if (passes(*begin, function, call)) return found;
      if (!is_complete()) return {};
      refused.push_back(call);
    }
  return {};
}

// The number that was stored on all paths to an instruction.
std::optional<uint32_t> AwaitPaths::stored_before(size_t instruction) const {
  std::vector<bool> seen(before_.size());
  std::vector<size_t> work = {instruction};
  std::optional<uint32_t> found;
  while (!work.empty()) {
    const size_t at = work.back();
    work.pop_back();
    steps_++;
    for (const size_t previous : before_[at]) {
      if (seen[previous]) continue;
      seen[previous] = true;
      if (!points_[previous])
        work.push_back(previous);
      else if (!found)
        found = points_[previous];
      else if (found != points_[previous])
        return {};
    }
  }
  return found;
}

// The call that is reached without a jump, through instructions that no other leads to. Behind the
// checks of sanitizers, other paths end in calls that do not return, which is not known of them.
uint32_t AwaitPaths::straight_behind(size_t begin, Function function) const {
  for (size_t at = begin + 1; at < before_.size(); at++) {
    if (points_[at] || before_[at].size() != 1 || before_[at].front() != at - 1) return none;
    if (const uint32_t found = call_at_[function][at]; found != none) return found;
  }
  return none;
}

std::optional<size_t> AwaitPaths::behind(const Store& store, Function function) const {
  const auto begin = flow_.find(store.begin);
  if (!is_complete() || !begin || calls_[function].empty()) return {};
  // g++ may put the store into the middle of the call.
  if (const uint32_t around = call_at_[function][*begin]; around != none) return around;
  if (const uint32_t found = straight_behind(*begin, function); found != none) return found;
  std::vector<bool> seen(before_.size());
  std::vector<size_t> work = {*begin};
  for (size_t i = 0; i < work.size(); i++)
    for (const size_t next : flow_.successors(work[i])) {
      if (seen[next] || points_[next]) continue;
      seen[next] = true;
      work.push_back(next);
      const uint32_t found = call_at_[function][next];
      if (found == none) continue;
      if (stored_before(next) != store.point) return {};
      return found;
    }
  return {};
}

std::optional<size_t> AwaitPaths::resume_behind(uint64_t address) const {
  const auto begin = flow_.find(address);
  if (!is_complete() || !begin || calls_[Resume].empty()) return {};
  std::vector<bool> seen(before_.size());
  std::vector<size_t> work;
  const auto add = [&](size_t at) {
    if (seen[at] || points_[at] || call_at_[Ready][at] != none) return;
    seen[at] = true;
    work.push_back(at);
  };
  add(*begin);
  for (size_t i = 0; i < work.size(); i++) {
    if (const uint32_t found = call_at_[Resume][work[i]]; found != none) return found;
    for (const size_t next : flow_.successors(work[i])) add(next);
  }
  return {};
}

}  // namespace skein
