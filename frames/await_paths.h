// Which calls of an awaiter's functions belong to a suspension, by the flow of control, as optimised
// code is in any order.
//
//   AwaitPaths paths(flow, flow.predecessors(), stores, calls);
//   if (const auto ready = paths.before(store, AwaitPaths::Ready)) show(readies[*ready]);
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "frames/control_flow.h"
#include "frames/index_stores.h"

namespace skein {

// The code of a call, or a part of it. The parts of one call have the same number.
struct AwaitCall {
  uint64_t begin = 0;
  uint64_t end = 0;
  uint32_t call = 0;
};

class AwaitPaths {
 public:
  enum Function : uint8_t { Ready, Suspend, Resume };  // await_ready(), ..
  using Calls = std::array<std::vector<AwaitCall>, 3>;  // by Function

  using Predecessors = std::vector<std::vector<size_t>>;

  // `stores`: all of the function. The arguments, except for these, must outlive it. O(instructions
  // + instructions of calls).
  AwaitPaths(const ControlFlow& flow, const Predecessors& before, const std::vector<Store>& stores,
             const Calls& calls);

  // Whether the code was understood, and is not too long. If not, nothing is found.
  bool is_complete() const { return flow_.is_complete() && steps_ < most_steps; }

  // All results are numbers of a call among those of a function.

  // The last that every path to the store passes. That of an earlier co_await is not passed if the
  // coroutine was suspended there. O(instructions * calls).
  std::optional<size_t> before(const Store& store, Function function) const;
  // The first behind the store, before the next one. Nothing as well if another store leads there.
  // O(instructions).
  std::optional<size_t> behind(const Store& store, Function function) const;
  // The first await_resume() behind an address, before the next await_ready() or store. The same.
  std::optional<size_t> resume_behind(uint64_t address) const;

 private:
  static constexpr uint32_t none = UINT32_MAX;
  static constexpr uint64_t most_steps = 2'000'000;  // from instruction to instruction, in all
  bool passes(size_t store, Function function, uint32_t call) const;
  uint32_t straight_behind(size_t begin, Function function) const;
  std::optional<uint32_t> stored_before(size_t instruction) const;

  const ControlFlow& flow_;
  const Predecessors& before_;
  const Calls& calls_;
  mutable uint64_t steps_ = 0;
  std::vector<std::optional<uint32_t>> points_ = {};  // by instruction, what it stores
  std::array<std::vector<uint32_t>, 3> call_at_ = {};  // by instruction, a number of calls_
};

}  // namespace skein
