// The stacks of samples in a trace, each once.
//
//   SampleStacks stacks(names, trace);
//   event.value = stacks.add(names.functions(record));
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "profile/perf/sample_names.h"
#include "trace/read/trace.h"

namespace skein {

class SampleStacks {
 public:
  // Both must outlive it. Numbers of new stacks follow those that the trace has.
  SampleStacks(const SampleNames& names, Trace& trace) : names_(names), trace_(trace) {
    for (uint32_t i = 0; i < trace.stacks.size(); i++)
      last_number_ = std::max(last_number_, trace.stacks.number(i));
  }

  // The index of the stack of these functions, numbers of names, the innermost first. O(log
  // stacks).
  uint32_t add(std::span<const uint32_t> functions) {
    const auto [at, is_new] = known_.try_emplace({functions.begin(), functions.end()}, uint32_t{0});
    if (!is_new) return at->second;
    at->second = trace_.stacks.add(++last_number_);
    std::vector<StackFrame> frames;
    for (const uint32_t name : functions)
      frames.push_back({.function = trace_.strings.intern(names_[name])});
    trace_.stacks.set_frames(at->second, frames);
    return at->second;
  }

 private:
  const SampleNames& names_;
  Trace& trace_;
  std::map<std::vector<uint32_t>, uint32_t> known_ = {};
  uint64_t last_number_ = 0;  // of a stack in the format
};

}  // namespace skein
