// Coroutines that wait for each other, as chains, and similar chains as one: what `skein ps` and
// `skein why` show of a process without a recorder.
//
//   for (const CoroutineChain& chain : find_chains(found)) print(chain.count, chain.steps);
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "frames/suspended_coroutines.h"

namespace skein {

struct CoroutineChain {
  // Indices into SuspendedCoroutines::coroutines: those of the first such chain, the outermost
  // first, without Asio's own. Each waits for the next.
  std::vector<uint32_t> steps = {};
  std::string operation = {};          // of Asio, for which the last one waits: "async_wait"
  std::vector<uint32_t> objects = {};  // of SuspendedCoroutines: what the last ones wait for
  std::vector<uint32_t> awaited = {};  // the same of SuspendedCoroutines::awaited, each once
  uint64_t with_awaited = 0;           // chains whose last one waits for one of these
  // The coroutine that waits for the first step and others together; SuspendedCoroutine::none.
  uint32_t joined_by = SuspendedCoroutine::none;
  // The coroutines of all such chains, chain by chain, without Asio's entry points.
  std::vector<uint32_t> members = {};
  uint64_t count = 0;                  // of chains that differ only in their frames and objects
  static constexpr size_t no_cycle = SIZE_MAX;
  size_t cycle_begin = no_cycle;  // the last one waits for this step
};

// The number of coroutines without Asio's own, which chains leave out.
uint64_t own_coroutines(const SuspendedCoroutines& found);

// Distinguishes chains that would otherwise be similar, given as groups of one.
using ChainKind = std::function<uint8_t(const CoroutineChain&)>;

// Each coroutine is in one chain, those that several wait for in the first. The largest group
// first; those that are joined by another chain's last step, behind that. Chains that wait for
// different objects are similar, unless several wait for the object, or its holder is known, or
// they are few that send to different channels; those of another kind are not. O(coroutines * log
// groups), and a call of `kind` for each chain.
std::vector<CoroutineChain> find_chains(const SuspendedCoroutines& found, const ChainKind& kind = {});

// The coroutine that must go on before this one can: what it awaits, or the certain holder of the
// lock that it waits for. SuspendedCoroutine::none: unknown.
uint32_t waits_for(const SuspendedCoroutines& found, uint32_t coroutine);
// The same, or the only one that perhaps holds the lock.
uint32_t may_wait_for(const SuspendedCoroutines& found, uint32_t coroutine);

}  // namespace skein
