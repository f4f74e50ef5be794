// What is wrong, in words: sentences whose tasks, places and times are told apart from the words
// between them, for who shows them may make links of those.
//
//   for (const Part& part : explain(subject, diagnosis)) out += text_of(part);
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "trace/ask/why.h"

namespace skein {

struct Part {
  enum class What : uint8_t { Words, Task, Place, Time, Duration };
  What what = What::Words;
  std::string_view words = {};  // as they are in the trace, not made safe
  uint64_t value = 0;           // a TaskIndex, a location, ns
};
using Sentence = std::vector<Part>;

// What is wrong, in a sentence or two; empty if nothing is known.
Sentence explain(const Subject& subject, const Diagnosis& diagnosis);

// What a step of the chain does: "waits for" and for whom, "is suspended" and nobody.
struct Doing {
  std::string_view words;
  TaskIndex whom = no_index;
};
Doing doing(const Subject& subject, const Diagnosis& diagnosis, size_t step);

// Where it is, or was made.
uint32_t location_of(const Subject& subject, const Diagnosis::Step& step);
// Since when it does that; negative: that long before the trace.
int64_t since(const Subject& subject, const Diagnosis::Step& step);

}  // namespace skein
