#include "trace/ask/doctor/doctor.h"

#include <array>

#include "trace/ask/doctor/findings.h"
#include "trace/ask/doctor/lints.h"

namespace skein {

namespace {

struct About {
  std::string_view name;
  std::string_view meaning;
};
constexpr std::array<About, lint_count> all_lints = {{
    {"notify-before-wait", "a signal found nobody, and then somebody began to wait for it"},
    {"lock-order-cycle", "locks are taken in one order here and in another there"},
    {"destroyed-unresolved", "a task was destroyed, and somebody counts on its end"},
    {"never-started", "a task was created, and nobody let it run"},
    {"handler-never-invoked", "a handler was created and destroyed or forgotten, and never run"},
    {"suspended-too-long", "a task waits for a lock, or for its turn, or should have ended"},
    {"ran-too-long", "a task ran without a suspension, and others could not"},
    {"lock-across-wait", "who held a lock waited for something else, and others for the lock"},
    {"operation-pending", "a send, or what somebody counts on, has not completed at the end"},
    {"self-wake", "a task wakes itself, or posts itself, again and again"},
    {"counter-only-grows", "a level never comes back to where it was"},
    {"queue-only-grows", "ever more is in a channel or queue, or ever more wait for a lock"},
}};

}  // namespace

std::string_view name(Lint lint) { return all_lints[static_cast<size_t>(lint)].name; }

std::string_view meaning(Lint lint) { return all_lints[static_cast<size_t>(lint)].meaning; }

std::optional<Lint> find_lint(std::string_view name) {
  for (size_t i = 0; i < lint_count; i++)
    if (all_lints[i].name == name) return static_cast<Lint>(i);
  return {};
}

std::string_view name(Finding::Severity severity) {
  constexpr std::array<std::string_view, 3> names = {"error", "warning", "note"};
  return names[static_cast<size_t>(severity)];
}

std::vector<Finding> examine(const Trace& trace, const Model& model, const Waits& waits,
                             const DoctorOptions& options) {
  detail::Case the_case({trace, model, waits}, options);
  detail::Findings found(the_case);
  // In this order: a later one does not tell again what an earlier one has explained.
  look_at_runs(the_case, found);
  look_at_locks(the_case, found);
  look_at_waits(the_case, found);
  look_at_tasks(the_case, found);
  look_at_diagnoses(the_case, found);
  look_at_levels(the_case, found);
  return found.all();
}

}  // namespace skein
