// Handlers that keep posting each other: a disguised busy loop. Each is created while its
// predecessor runs, at the same location, and runs next.
#include <vector>

#include "trace/ask/doctor/lints.h"
#include "trace/ask/none.h"

namespace skein::detail {

namespace {

// The handlers of a chain, up to one of them.
struct Chain {
  uint64_t count = 1;
  uint64_t start = 0;  // of the first
};

// Work that is cut into pieces takes longer for each. What is between may be both.
constexpr uint64_t surely_poll = 3'000;    // ns
constexpr uint64_t longest_step = 20'000;  // ns
// A chain that lasts until the end of the trace may still be running.
constexpr uint64_t shortest_rest = 1'000'000;  // ns

}  // namespace

void add_post_findings(const LintContext& context, Findings& found) {
  if (!context.is_enabled(Lint::SelfWake)) return;
  const Model& model = context.model;
  std::vector<Chain> chains(model.tasks.size());
  std::vector<bool> continued(model.tasks.size());
  for (TaskIndex i = 0; i < model.tasks.size(); i++) {
    const Model::Task& task = model.tasks[i];
    chains[i].start = task.start;
    if (task.parent == no_index || task.parent >= i || !context.is_handler(i)) continue;
    const Model::Task& poster = model.tasks[task.parent];
    if (poster.kind != task.kind || poster.name != task.name || poster.location != task.location)
      continue;
    chains[i] = {chains[task.parent].count + 1, chains[task.parent].start};
    continued[task.parent] = true;
  }
  for (TaskIndex i = 0; i < model.tasks.size(); i++) {
    const Chain& chain = chains[i];
    const Model::Task& last = model.tasks[i];
    if (continued[i] || chain.count < context.options.posts) continue;
    // One that was destroyed with its event loop had no end of its own.
    const bool is_over = last.how != Model::End::Open && last.how != Model::End::Cancelled &&
                         model.end - last.end > shortest_rest;
    const uint64_t step = (last.start - chain.start) / chain.count;
    if (is_over || step > longest_step) continue;
    found.add({.lint = Lint::SelfWake,
               .severity =
                   step > surely_poll ? Finding::Severity::Note : Finding::Severity::Warning,
               .task = i,
               .begin = chain.start,
               .end = context.until_end(last.end),
               .duration = chain.count,
               .location = last.location,
               .value = chain.count});
  }
}

}  // namespace skein::detail
