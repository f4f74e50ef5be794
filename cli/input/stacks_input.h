// Reads the profiles that `skein flame` draws.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "base/file.h"
#include "profile/flame/address_map.h"
#include "profile/flame/folded.h"

namespace skein::cli {

class StacksInput {
 public:
  // `maps`: files with names of addresses (profile/flame/address_map.h). `event`: of perf.data;
  // empty: the first one with samples. Throws CommandError(2) if a map has no functions.
  // `running`: of a trace, where its tasks run, not where they wait. `physical`: of perf.data, no
  // logical stacks.
  StacksInput(Files& files, std::span<const std::string> maps, std::string event,
              bool running = false, bool physical = false);

  // Reads folded stacks, a perf.data, or a trace (a directory, or the PID of a process that
  // records); - is standard input. Reports on stderr what is left out. Throws CommandError(2) if
  // there are no stacks.
  void read(const std::string& path, FoldedStacks::Side side);

  // Valid as long as this object.
  const FoldedStacks& stacks() const { return stacks_; }
  // What the counts are: "samples", "ns".
  const std::string& unit() const { return unit_; }

 private:
  std::span<const uint8_t> fold_perf(const std::string& path, std::span<const uint8_t> bytes);
  std::span<const uint8_t> fold_trace(const std::string& path);
  std::span<const uint8_t> name_addresses(const std::string& name, std::span<const uint8_t> text);

  Files& files_;
  AddressMap map_;
  std::string event_;
  bool running_;
  bool physical_;
  std::vector<Contents> contents_;
  std::deque<std::string> texts_;
  FoldedStacks stacks_;
  std::string unit_ = "samples";
};

}  // namespace skein::cli
