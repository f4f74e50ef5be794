// Locks of the program, whose awaiter the trace knows only by its type and address.
#include "trace/ask/doctor/lints.h"
#include "trace/ask/none.h"

namespace skein::detail {

void add_object_findings(const LintContext& context, Findings& found) {
  if (!context.is_enabled(Lint::LockAcrossWait) || context.is_mirage) return;
  found.sources.held = find_held_objects({context.trace, context.model, context.waits});
  for (uint32_t i = 0; i < found.sources.held.size(); i++) {
    const HeldObject& held = found.sources.held[i];
    const Waits::Wait& wait = context.waits.waits[held.wait];
    const Waits::Wait& victim = context.waits.waits[held.victim];
    if (context.length(victim) < context.limit(Lint::LockAcrossWait)) continue;
    found.add({.lint = Lint::LockAcrossWait,
               .severity = Finding::Severity::Note,  // its purpose may be to serialise these waits
               .task = wait.task,
               .begin = std::min(wait.begin, victim.begin),
               .end = std::max(context.until_end(wait.end), context.until_end(victim.end)),
               .duration = context.length(wait),
               .location = wait.location,
               .index = held.wait,
               .second = held.victim,
               .value = i});
  }
}

}  // namespace skein::detail
