#include "trace/ask/doctor/doctor.h"

#include <array>

#include "trace/ask/doctor/findings.h"
#include "trace/ask/doctor/lints.h"

namespace skein {

namespace {

constexpr std::array<std::string_view, lint_count> lint_names = {
    "notify-before-wait",    "lock-order-cycle",   "destroyed-unresolved", "never-started",
    "handler-never-invoked", "suspended-too-long", "ran-too-long",         "lock-across-wait",
    "operation-pending",     "self-wake",          "counter-only-grows",   "queue-only-grows",
};

}  // namespace

std::string_view name(Lint lint) { return lint_names[static_cast<size_t>(lint)]; }

std::optional<Lint> find_lint(std::string_view name) {
  for (size_t i = 0; i < lint_count; i++)
    if (lint_names[i] == name) return static_cast<Lint>(i);
  return {};
}

std::string_view name(Finding::Severity severity) {
  constexpr std::array<std::string_view, 3> names = {"error", "warning", "note"};
  return names[static_cast<size_t>(severity)];
}

std::vector<Finding> examine(const Trace& trace, const Model& model, const Waits& waits,
                             const DoctorOptions& options) {
  detail::LintContext context({trace, model, waits}, options);
  detail::Findings found(context);
  // In this order: a later one does not tell again what an earlier one has explained.
  look_at_runs(context, found);
  look_at_locks(context, found);
  look_at_waits(context, found);
  look_at_tasks(context, found);
  look_at_diagnoses(context, found);
  look_at_levels(context, found);
  return found.all();
}

}  // namespace skein
