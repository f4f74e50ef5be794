// The report of `skein why`: each diagnosis with its chain and an explanation.
//
//   print(why_text(subject, diagnose_all(trace, model, waits), unread_failures(subject),
//                  broken_chains(subject)));
#pragma once

#include <string>
#include <vector>

#include "report/json.h"
#include "trace/ask/broken_chains.h"
#include "trace/ask/failures.h"
#include "trace/ask/why.h"

namespace skein {

std::string why_text(const Subject& subject, const std::vector<Diagnosis>& diagnoses,
                     const std::vector<UnreadFailure>& failures = {},
                     const std::vector<BrokenChain>& chains = {});
// skein.why of docs/json.md.
Json why_json(const Subject& subject, const std::vector<Diagnosis>& diagnoses,
              const std::vector<UnreadFailure>& failures = {},
              const std::vector<BrokenChain>& chains = {});

}  // namespace skein
