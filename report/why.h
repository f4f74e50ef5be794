// The report of `skein why`: each diagnosis with its chain and an explanation, then what else is
// worth a look at the end of the trace.
//
//   print(why_text(subject, {.diagnoses = diagnose_all(trace, model, waits),
//                            .failures = unread_failures(subject)}));
#pragma once

#include <string>
#include <vector>

#include "report/json.h"
#include "trace/ask/broken_chains.h"
#include "trace/ask/failures.h"
#include "trace/ask/interleaved.h"
#include "trace/ask/torn_down.h"
#include "trace/ask/why.h"

namespace skein {

struct WhyFindings {
  std::vector<Diagnosis> diagnoses;
  std::vector<UnreadFailure> failures = {};
  std::vector<BrokenChain> chains = {};
  std::vector<Interleaved> interleaved = {};
  std::vector<TornDown> destroyed = {};
  // The subject ends where the program began to destroy its tasks; 0: it has all events.
  uint64_t teardown = 0;
  bool is_live = false;  // the program runs
  // What `skein doctor` found that is not about a wait, a line each.
  std::vector<std::string> others = {};
};

std::string why_text(const Subject& subject, const WhyFindings& found);
// skein.why of docs/json.md.
Json why_json(const Subject& subject, const WhyFindings& found);

}  // namespace skein
