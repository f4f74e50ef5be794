// Explains diagnoses in sentences.
//
//   for (const TextRun& run : explain(subject, diagnosis)) out += text_of(run);
#pragma once

#include <string_view>

#include "report/sentence.h"
#include "trace/ask/why.h"

namespace skein {

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
