// The report of `skein why`: each diagnosis with its chain and an explanation.
//
//   print(why_text(subject, diagnose_all(trace, model, waits)));
#pragma once

#include <string>
#include <vector>

#include "report/json.h"
#include "trace/ask/why.h"

namespace skein {

std::string why_text(const Subject& subject, const std::vector<Diagnosis>& diagnoses);
// skein.why of docs/json.md.
Json why_json(const Subject& subject, const std::vector<Diagnosis>& diagnoses);

}  // namespace skein
