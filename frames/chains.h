// Coroutines that wait for each other, as chains, and similar chains as one: what `skein ps` and
// `skein why` show of a process without a recorder.
//
//   for (const CoroutineChain& chain : find_chains(found)) print(chain.count, chain.steps);
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "frames/suspended.h"

namespace skein {

struct CoroutineChain {
  // Indices into SuspendedCoroutines::coroutines: those of the first such chain, the outermost
  // first, without Asio's own. Each waits for the next.
  std::vector<uint32_t> steps = {};
  std::string operation = {};          // of Asio, for which the last one waits: "async_wait"
  std::vector<uint32_t> objects = {};  // of SuspendedCoroutines: what the last ones wait for
  // The coroutines of all such chains, chain by chain, without Asio's entry points.
  std::vector<uint32_t> members = {};
  uint64_t count = 0;                  // of chains that differ only in their frames and objects
  static constexpr size_t no_cycle = SIZE_MAX;
  size_t cycle_begin = no_cycle;  // the last one waits for this step
};

// Each coroutine is in one chain, those that several wait for in the first. The largest group
// first. O(coroutines * log groups).
std::vector<CoroutineChain> find_chains(const SuspendedCoroutines& found);

}  // namespace skein
