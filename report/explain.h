// Explains diagnoses in sentences. Tasks, locations and times are separate runs, so that a view can
// link them.
//
//   for (const TextRun& run : explain(subject, diagnosis)) out += text_of(run);
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "trace/ask/why.h"

namespace skein {

struct TextRun {
  enum class Kind : uint8_t { Text, Task, Location, Time, Duration, Number, Address };
  Kind kind = Kind::Text;
  std::string_view text = {};  // as in the trace: callers escape it
  uint64_t value = 0;          // a TaskIndex, a location, ns, a number, an address
};
using Sentence = std::vector<TextRun>;

// The problem, in one or two sentences.
Sentence explain(const Subject& subject, const Diagnosis& diagnosis);

// Describes a step of the chain: "waits for" a target; without one "is suspended", "is runnable".
struct StepText {
  std::string_view text;
  TaskIndex target = no_index;
  // Of a task that awaits an object of a known type (object_text()); null: none. In the diagnosis.
  const AwaitedObjectWait* object = nullptr;
};
StepText describe_step(const Subject& subject, const Diagnosis& diagnosis, size_t step);

}  // namespace skein
