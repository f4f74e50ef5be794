#include "frames/chains.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace skein {

namespace {

using Coroutine = SuspendedCoroutine;
// What chains have in common that are similar: function, state, place, certainty of each step.
using Step = std::tuple<uint32_t, Coroutine::State, uint32_t, bool>;
using Key = std::pair<std::vector<Step>, std::string>;

class ChainFinder {
 public:
  explicit ChainFinder(const SuspendedCoroutines& found)
      : found_(found), all_(found.coroutines), is_shown_(all_.size()) {}

  std::vector<CoroutineChain> find() {
    std::vector<bool> is_awaited(all_.size());
    for (const Coroutine& one : all_)
      if (one.awaits != Coroutine::none) is_awaited[one.awaits] = true;
    for (uint32_t i = 0; i < all_.size(); i++)
      if (!is_awaited[i]) add(i);
    for (uint32_t i = 0; i < all_.size(); i++) add(i);  // cycles
    std::vector<CoroutineChain> chains;
    for (auto& [key, chain] : chains_) chains.push_back(std::move(chain));
    std::stable_sort(
        chains.begin(), chains.end(),
        [](const CoroutineChain& a, const CoroutineChain& b) { return a.count > b.count; });
    return chains;
  }

 private:
  void add(uint32_t at) {
    CoroutineChain chain;
    Key key;
    members_.clear();
    uint32_t last = Coroutine::none;
    for (; at != Coroutine::none && !is_shown_[at]; at = all_[at].awaits) {
      is_shown_[at] = true;
      last = at;
      const Coroutine& one = all_[at];
      const SuspendedCoroutines::Function& function = found_.functions[one.function];
      if (function.is_spawn_entry) continue;
      members_.push_back(at);
      if (!function.operation.empty() && !chain.steps.empty()) {
        chain.operation = function.operation;
        continue;
      }
      chain.steps.push_back(at);
      key.first.emplace_back(one.function, one.state, one.place, one.is_certain);
    }
    if (chain.steps.empty()) return;
    if (at != Coroutine::none) {
      const auto begin = std::find(chain.steps.begin(), chain.steps.end(), at);
      if (begin != chain.steps.end())
        chain.cycle_begin = static_cast<size_t>(begin - chain.steps.begin());
    }
    key.second = chain.operation + '*' + std::to_string(chain.cycle_begin);
    CoroutineChain& group = chains_.try_emplace(std::move(key), std::move(chain)).first->second;
    group.count++;
    group.members.insert(group.members.end(), members_.begin(), members_.end());
    if (all_[last].object != Coroutine::none) group.objects.push_back(all_[last].object);
  }

  const SuspendedCoroutines& found_;
  const std::vector<Coroutine>& all_;
  std::vector<bool> is_shown_;
  std::vector<uint32_t> members_ = {};  // of the chain that is added
  std::map<Key, CoroutineChain> chains_ = {};
};

}  // namespace

std::vector<CoroutineChain> find_chains(const SuspendedCoroutines& found) {
  return ChainFinder(found).find();
}

}  // namespace skein
