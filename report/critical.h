// The report of `skein critical`: where the time of a range went, in sums and step by step.
#pragma once

#include <string>
#include <vector>

#include "report/json.h"
#include "trace/ask/critical.h"

namespace skein {

struct CriticalPath {
  TaskIndex task = no_index;  // whose path it is; no_index: none
  uint64_t from = 0;
  uint64_t to = 0;
  std::vector<Segment> segments = {};
};

// "waiting on query (#7)", "runnable, while parser (#3) ran"; names are not escaped.
std::string segment_text(const Trace& trace, const Model& model, const Segment& segment);

// `all`: every step, not only the 40 longest.
std::string critical_text(const Trace& trace, const Model& model, const CriticalPath& path,
                          bool all);
// skein.critical of docs/json.md.
Json critical_json(const Trace& trace, const Model& model, const CriticalPath& path);

}  // namespace skein
