#include "trace/ask/doctor/doctor.h"

#include <array>

#include "trace/ask/doctor/findings.h"
#include "trace/ask/doctor/lint_schema.h"
#include "trace/ask/doctor/lints.h"

namespace skein {

std::string_view name(Lint lint) { return lint_schema(lint).name; }

std::optional<Lint> find_lint(std::string_view name) {
  for (const LintSchema& schema : lint_schemas)
    if (schema.name == name) return schema.lint;
  return {};
}

std::string_view name(Finding::Severity severity) {
  constexpr std::array<std::string_view, 3> names = {"error", "warning", "note"};
  return names[static_cast<size_t>(severity)];
}

std::vector<Finding> examine(const Trace& trace, const Model& model, const Waits& waits,
                             const DoctorOptions& options) {
  if (trace.info.is_sampled()) return {};
  detail::LintContext context({trace, model, waits}, options);
  detail::Findings found(context);
  // The order matters: a later lint does not report what an earlier one has explained.
  add_run_findings(context, found);
  add_lock_findings(context, found);
  add_object_findings(context, found);
  add_wait_findings(context, found);
  add_post_findings(context, found);
  add_cancel_findings(context, found);
  add_sequence_findings(context, found);
  add_task_findings(context, found);
  add_diagnosis_findings(context, found);
  add_level_findings(context, found);
  return found.all();
}

}  // namespace skein
