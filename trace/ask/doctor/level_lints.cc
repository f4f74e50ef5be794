#include <algorithm>

#include "trace/ask/doctor/growth.h"
#include "trace/ask/doctor/lints.h"

namespace skein::detail {

namespace {

void add_all(Findings& found, Lint lint, const std::vector<Growth>& growths) {
  for (const Growth& g : growths) {
    found.add({.lint = lint,
               .task = g.resource,
               .begin = g.begin,
               .end = g.end,
               .duration = static_cast<uint64_t>(std::max<int64_t>(0, g.to - g.from)),
               .index = static_cast<uint32_t>(found.sources.growths.size()),
               .value = g.counter});
    found.sources.growths.push_back(g);
  }
}

}  // namespace

void add_level_findings(const LintContext& context, Findings& found) {
  const Trace& trace = context.trace;
  const Model& model = context.model;
  if (context.is_enabled(Lint::CounterOnlyGrows))
    add_all(found, Lint::CounterOnlyGrows, growing_counters(trace, model));
  if (context.is_enabled(Lint::QueueOnlyGrows))
    add_all(found, Lint::QueueOnlyGrows, growing_queues(trace, model, context.waits));
}

}  // namespace skein::detail
