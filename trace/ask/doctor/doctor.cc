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
    {"notify-before-wait", "a notification woke no task, and a task began to wait for it later"},
    {"lock-order-cycle", "locks are acquired in inconsistent order"},
    {"destroyed-unresolved", "a task was destroyed while another task depends on it"},
    {"never-started", "a task was created but never started"},
    {"handler-never-invoked", "a handler was never invoked"},
    {"suspended-too-long",
     "a task waited too long for a lock or for its turn to run, or should have ended"},
    {"ran-too-long", "a task blocked its thread by running without suspending"},
    {"lock-across-wait",
     "a lock holder waited for something else while others waited for the lock"},
    {"operation-pending", "a send, or an operation another task waits for, is still pending"},
    {"self-wake", "a task keeps waking or reposting itself"},
    {"counter-only-grows", "a counter keeps growing"},
    {"queue-only-grows", "a queue, or the number of waiters on a lock, keeps growing"},
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
