// The report of `skein why`: each diagnosis with its chain and an explanation.
//
//   print(why_text(subject, diagnose_all(trace, model, waits), unread_failures(subject)));
#pragma once

#include <string>
#include <vector>

#include "report/json.h"
#include "trace/ask/failures.h"
#include "trace/ask/why.h"

namespace skein {

std::string why_text(const Subject& subject, const std::vector<Diagnosis>& diagnoses,
                     const std::vector<UnreadFailure>& failures = {});
// skein.why of docs/json.md.
Json why_json(const Subject& subject, const std::vector<Diagnosis>& diagnoses,
              const std::vector<UnreadFailure>& failures = {});

}  // namespace skein
