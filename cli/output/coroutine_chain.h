// Chains of coroutines of a process without a recorder, as lines of a table.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/input/unprepared.h"
#include "frames/chains.h"
#include "frames/verdict.h"

namespace skein::cli {

struct JudgedChain {
  CoroutineChain chain = {};
  ChainVerdict verdict = ChainVerdict::Usual;
  size_t depth = 0;  // in a tree in which chains that are joined are below the coroutine that waits
};

// Those of find_chains(), in that order.
std::vector<JudgedChain> judge_chains(const Unprepared& of);

// "not started"; stable, for JSON.
std::string_view state_name(SuspendedCoroutine::State state);

// "net::session"; of an operation of Asio that a group waits for: "async_wait". Escaped.
std::string function_name(const SuspendedCoroutines& found, uint32_t coroutine);

// A line for each coroutine: count, function, state, place; indented by `depth` more. Names are
// escaped.
void add_chain_lines(const Unprepared& of, const CoroutineChain& chain, size_t depth,
                     std::vector<std::vector<std::string>>& lines);

// The same of all chains as one tree: those with the same first steps share lines, each with its
// count; the largest first. O(steps * lines).
void add_tree_lines(const Unprepared& of, const std::vector<JudgedChain>& chains,
                    std::vector<std::vector<std::string>>& lines);

}  // namespace skein::cli
