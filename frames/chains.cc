#include "frames/chains.h"

#include <algorithm>
#include <compare>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "frames/wait_shapes.h"

namespace skein {

namespace {

using Coroutine = SuspendedCoroutine;
// What chains have in common that are similar: function, state, place, certainty of each step.
using Step = std::tuple<uint32_t, Coroutine::State, uint32_t, bool>;
struct Key {
  std::vector<Step> steps = {};
  std::string text = {};
  uint32_t object = Coroutine::none;  // if it is one to be shown
  uint8_t kind = 0;
  std::pair<uint32_t, uint32_t> joined_by = {0, 0};  // function and place, of the next number
  uint64_t channel = 0;  // that it sends to; the last one, so that keys that differ in it follow
  auto operator<=>(const Key&) const = default;
};

class ChainFinder {
 public:
  ChainFinder(const SuspendedCoroutines& found, const ChainKind& kind)
      : found_(found), all_(found.coroutines), kind_(kind), is_shown_(all_.size()) {
    find_shown_objects();
  }

  std::vector<CoroutineChain> find() {
    std::vector<bool> is_awaited(all_.size());
    for (const Coroutine& one : all_)
      if (one.awaits != Coroutine::none) is_awaited[one.awaits] = true;
    for (uint32_t i = 0; i < all_.size(); i++)
      if (!is_awaited[i]) add(i);
    for (uint32_t i = 0; i < all_.size(); i++) add(i);  // cycles
    std::vector<CoroutineChain> chains;
    for (auto one = chains_.begin(); one != chains_.end();) {
      const auto end = end_of_channels(one);
      const bool is_one = std::distance(one, end) > most_channels;
      for (auto first = one; one != end; one++)
        if (!is_one || one == first)
          chains.push_back(std::move(one->second));
        else
          add_to(chains.back(), one->second);
    }
    std::stable_sort(
        chains.begin(), chains.end(),
        [](const CoroutineChain& a, const CoroutineChain& b) { return a.count > b.count; });
    return with_joined_behind(std::move(chains));
  }

 private:
  // Few coroutines that send to several channels may wait for each other, as locks are taken in a
  // wrong order.
  static constexpr ptrdiff_t most_channels = 3;
  using Chains = std::map<Key, CoroutineChain>;

  // Behind the chains that differ from this one in nothing but the channel that they send to.
  Chains::iterator end_of_channels(Chains::iterator first) {
    Key key = first->first;
    key.channel = UINT64_MAX;
    return first->first.channel == 0 ? std::next(first) : chains_.upper_bound(key);
  }

  // 0: it sends to no channel.
  uint64_t channel_of(const CoroutineChain& chain) const {
    if (chain.operation == "async_send" && !chain.objects.empty() &&
        found_.objects[chain.objects.front()].kind == AsioObject::Kind::Channel)
      return found_.objects[chain.objects.front()].address;
    if (chain.awaited.empty()) return 0;
    const WaitObject& object = found_.awaited[chain.awaited.front()];
    if (object.kind != WaitObject::Kind::Queue) return 0;
    return is_name_of_send(found_.places[all_[chain.steps.back()].place].awaiter) ? object.address
                                                                                  : 0;
  }

  // Those that distinguish chains: with the most waiters, or a holder.
  void find_shown_objects() {
    constexpr size_t most = 100;
    std::vector<uint32_t> order;
    for (uint32_t i = 0; i < found_.awaited.size(); i++)
      if (found_.awaited[i].waiters.size() > 1 || !found_.awaited[i].holders.empty())
        order.push_back(i);
    const auto rank = [&](uint32_t i) {
      const WaitObject& one = found_.awaited[i];
      const bool is_held = !one.holders.empty() && one.holders.front().is_certain();
      return std::pair(!is_held, SIZE_MAX - one.waiters.size());
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](uint32_t a, uint32_t b) { return rank(a) < rank(b); });
    order.resize(std::min(most, order.size()));
    shown_objects_ = {order.begin(), order.end()};
  }

  // Chains whose first step is joined by a coroutine follow the chain that ends there.
  std::vector<CoroutineChain> with_joined_behind(std::vector<CoroutineChain> chains) const {
    std::vector<size_t> chain_of(all_.size(), SIZE_MAX);
    for (size_t i = 0; i < chains.size(); i++)
      for (const uint32_t member : chains[i].members) chain_of[member] = i;
    std::vector<std::vector<size_t>> behind(chains.size());
    std::vector<size_t> left;
    for (size_t i = chains.size(); i-- > 0;) {
      const uint32_t parent = chains[i].joined_by;
      const size_t at = parent == Coroutine::none ? SIZE_MAX : chain_of[parent];
      if (at == SIZE_MAX || at == i)
        left.push_back(i);
      else
        behind[at].push_back(i);
    }
    std::vector<CoroutineChain> ordered;
    std::vector<bool> is_added(chains.size());
    const auto add_all = [&] {
      while (!left.empty()) {
        const size_t at = left.back();
        left.pop_back();
        if (is_added[at]) continue;
        is_added[at] = true;
        left.insert(left.end(), behind[at].begin(), behind[at].end());
        ordered.push_back(std::move(chains[at]));
      }
    };
    add_all();
    for (size_t i = 0; i < chains.size(); i++) {  // those that join each other
      left.push_back(i);
      add_all();
    }
    return ordered;
  }

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
      if (function.is_internal) continue;
      members_.push_back(at);
      if (!function.operation.empty() && !chain.steps.empty()) {
        chain.operation = function.operation;
        continue;
      }
      chain.operation.clear();  // of co_spawn(), which waits for this one
      chain.steps.push_back(at);
      key.steps.emplace_back(one.function, one.state, one.place, one.is_certain);
      if (one.caller != Coroutine::none) key.text += found_.callers[one.caller].function + '*';
    }
    if (chain.steps.empty()) return;
    if (at != Coroutine::none) {
      const auto begin = std::find(chain.steps.begin(), chain.steps.end(), at);
      if (begin != chain.steps.end())
        chain.cycle_begin = static_cast<size_t>(begin - chain.steps.begin());
    }
    key.text += chain.operation + '*' + std::to_string(chain.cycle_begin);
    chain.joined_by = all_[chain.steps.front()].joined_by;
    if (chain.joined_by != Coroutine::none)
      key.joined_by = {all_[chain.joined_by].function + 1, all_[chain.joined_by].place};
    const uint32_t awaited = all_[chain.steps.back()].awaited;
    if (shown_objects_.contains(awaited)) key.object = awaited;
    chain.count = 1;
    if (all_[last].object != Coroutine::none) chain.objects = {all_[last].object};
    if (awaited != Coroutine::none) {
      chain.awaited = {awaited};
      chain.with_awaited = 1;
    }
    chain.members = members_;
    key.channel = channel_of(chain);
    if (kind_) key.kind = kind_(chain);
    const auto [at_key, is_new] = chains_.try_emplace(std::move(key), std::move(chain));
    if (!is_new) add_to(at_key->second, chain);
  }

  static void add_to(CoroutineChain& group, const CoroutineChain& one) {
    group.count += one.count;
    group.members.insert(group.members.end(), one.members.begin(), one.members.end());
    group.objects.insert(group.objects.end(), one.objects.begin(), one.objects.end());
    group.with_awaited += one.with_awaited;
    for (const uint32_t object : one.awaited)
      if (group.awaited.empty() || group.awaited.back() != object) group.awaited.push_back(object);
  }

  const SuspendedCoroutines& found_;
  const std::vector<Coroutine>& all_;
  const ChainKind& kind_;
  std::vector<bool> is_shown_;
  std::set<uint32_t> shown_objects_ = {};
  std::vector<uint32_t> members_ = {};  // of the chain that is added
  Chains chains_ = {};
};

}  // namespace

uint64_t own_coroutines(const SuspendedCoroutines& found) {
  return static_cast<uint64_t>(
      std::count_if(found.coroutines.begin(), found.coroutines.end(), [&](const Coroutine& one) {
        const SuspendedCoroutines::Function& function = found.functions[one.function];
        return !function.is_internal && function.operation.empty();
      }));
}

std::vector<CoroutineChain> find_chains(const SuspendedCoroutines& found, const ChainKind& kind) {
  return ChainFinder(found, kind).find();
}

uint32_t may_wait_for(const SuspendedCoroutines& found, uint32_t coroutine) {
  const SuspendedCoroutine& one = found.coroutines[coroutine];
  if (one.state == Coroutine::State::Runs) return Coroutine::none;
  if (one.awaits != Coroutine::none) return one.awaits;
  if (one.awaited == Coroutine::none) return Coroutine::none;
  const std::vector<WaitObject::Holder>& holders = found.awaited[one.awaited].holders;
  return holders.size() == 1 ? holders.front().coroutine : Coroutine::none;
}

uint32_t waits_for(const SuspendedCoroutines& found, uint32_t coroutine) {
  const SuspendedCoroutine& one = found.coroutines[coroutine];
  const uint32_t next = may_wait_for(found, coroutine);
  const bool is_holder = next != Coroutine::none && one.awaits == Coroutine::none;
  return is_holder && !found.awaited[one.awaited].holders.front().is_certain() ? Coroutine::none
                                                                               : next;
}

}  // namespace skein
