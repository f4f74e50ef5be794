#include "frames/adapters.h"

#include <algorithm>
#include <map>

namespace skein {

namespace {

using State = SuspendedCoroutine::State;
constexpr uint32_t no_coroutine = SuspendedCoroutine::none;
constexpr uint64_t header = 16;  // of a frame: two addresses; then the promise

bool is_via_executor(std::string_view name) {
  return name.find("folly::coro::detail::ViaCoroutine<") != std::string_view::npos &&
         name.find(">::createImpl(") != std::string_view::npos;
}

uint32_t coroutine_at(const SuspendedCoroutines& found, uint64_t frame) {
  const std::vector<SuspendedCoroutine>& all = found.coroutines;
  const auto at =
      std::lower_bound(all.begin(), all.end(), frame,
                       [](const SuspendedCoroutine& a, uint64_t b) { return a.frame < b; });
  return at == all.end() || at->frame != frame ? no_coroutine
                                               : static_cast<uint32_t>(at - all.begin());
}

// The coroutine that a promise has the handle of, before that of its own.
uint32_t continuation_of(MemoryCache& memory, const SuspendedCoroutines& found, uint32_t adapter) {
  constexpr size_t words = 4;
  uint64_t promise[words] = {};
  if (!memory.read(found.coroutines[adapter].frame + header, promise, sizeof promise))
    return no_coroutine;
  for (const uint64_t word : promise)
    if (const uint32_t at = coroutine_at(found, word); at != no_coroutine)
      return at == adapter ? no_coroutine : at;
  return no_coroutine;
}

}  // namespace

// A template's name may begin with its return type.
bool is_adapter(std::string_view name) {
  return is_via_executor(name) ||
         name.find("folly::coro::detail::WithAsyncStackCoroutine::create(") !=
             std::string_view::npos;
}

Adapters::Adapters(MemoryCache& memory, const SuspendedCoroutines& found) {
  std::vector<bool> is_of_adapter;
  for (const SuspendedCoroutines::Function& one : found.functions)
    is_of_adapter.push_back(is_adapter(one.full_name));
  if (std::find(is_of_adapter.begin(), is_of_adapter.end(), true) == is_of_adapter.end()) return;
  std::map<uint32_t, uint32_t> next;  // by adapter
  for (uint32_t i = 0; i < found.coroutines.size(); i++)
    if (is_of_adapter[found.coroutines[i].function])
      if (const uint32_t waiter = continuation_of(memory, found, i); waiter != no_coroutine)
        next.emplace(i, waiter);
  if (next.empty()) return;
  waiters_.assign(found.coroutines.size(), no_coroutine);
  constexpr int deepest = 8;
  for (const auto& [adapter, first] : next) {
    uint32_t waiter = first;
    for (int i = 0; i < deepest && next.contains(waiter); i++) waiter = next.at(waiter);
    if (!next.contains(waiter)) waiters_[adapter] = waiter;
  }
}

void Adapters::add_executors(MemoryCache& memory, SuspendedCoroutines& found) const {
  std::map<uint64_t, uint32_t> numbers;  // of executors in found.awaited
  for (uint32_t i = 0; i < waiters_.size(); i++) {
    if (waiters_[i] == no_coroutine || found.coroutines[i].state != State::Final) continue;
    SuspendedCoroutine& waiter = found.coroutines[waiters_[i]];
    const bool may_wait = waiter.state == State::Waits || waiter.state == State::Unknown;
    if (!may_wait || waiter.awaits != no_coroutine || waiter.awaited != no_coroutine ||
        !is_via_executor(found.functions[found.coroutines[i].function].full_name))
      continue;
    // Behind the address of the virtual table; the lowest bits are flags.
    constexpr uint64_t flags = 3;
    const uint64_t executor = memory.word(found.coroutines[i].frame + header + 8) & ~flags;
    const auto [at, is_new] =
        numbers.try_emplace(executor, static_cast<uint32_t>(found.awaited.size()));
    if (is_new)
      found.awaited.push_back({.address = executor,
                               .kind = WaitObject::Kind::Executor,
                               .type = "folly::Executor",
                               .is_linked = true});
    found.awaited[at->second].waiters.push_back(waiters_[i]);
    waiter.awaited = at->second;
  }
}

}  // namespace skein
