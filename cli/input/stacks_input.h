// Reads the profiles that `skein flame` draws.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "base/file.h"
#include "cli/commands.h"
#include "cli/input/analysis.h"
#include "cli/output/flame_output.h"
#include "profile/flame/address_map.h"
#include "profile/flame/folded.h"
#include "trace/ask/logical_times.h"

namespace skein::cli {

class StacksInput {
 public:
  // Of the options: maps, event, stacks, time, by, from and to. Throws CommandError(2) if a map has
  // no functions or a time is invalid.
  StacksInput(Files& files, const FlameOptions& options);

  // Reads folded stacks, a perf.data, or a trace (also the PID of a process that records); - is
  // standard input. Reports on stderr what is left out. Throws CommandError(2) if there are no
  // stacks, or an option is for other inputs.
  void read(const std::string& path, FoldedStacks::Side side);

  // Valid as long as this object.
  const FoldedStacks& stacks() const { return stacks_; }
  // What the counts are, and what the picture shows.
  const FlameText& text() const { return text_; }

 private:
  std::span<const uint8_t> fold_perf(const std::string& path, std::span<const uint8_t> bytes);
  // `bytes`: of a file; empty: a directory.
  std::span<const uint8_t> fold_trace(const std::string& path, std::span<const uint8_t> bytes);
  std::span<const uint8_t> fold_samples(const std::string& path, const Analysis& a,
                                        const LogicalTimes& times);
  std::span<const uint8_t> fold_waits(const std::string& path, const Analysis& a,
                                      const LogicalTimes& times);
  // Throws CommandError(2) if an option is for traces only; `input`: "folded stacks".
  void reject_trace_options(const std::string& path, std::string_view input) const;
  // Throws CommandError(2) if some of the lines and files have two counts, and others one, or if
  // there are two, and --diff.
  void check_counts(const std::string& name, const FoldedStacks::Report& report, size_t lines);
  std::span<const uint8_t> name_addresses(const std::string& name, std::span<const uint8_t> text);

  Files& files_;
  AddressMap map_;
  const FlameOptions& options_;
  LogicalSelection selection_;
  std::vector<Contents> contents_;
  std::deque<std::string> texts_;
  FoldedStacks stacks_;
  FlameText text_;
  std::string with_one_;  // a file with one count in each line
  std::string with_two_;
};

}  // namespace skein::cli
