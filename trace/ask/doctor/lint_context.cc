#include "trace/ask/doctor/lint_context.h"

namespace skein::detail {

LintContext::LintContext(const Subject& subject, const DoctorOptions& doctor_options)
    : trace(subject.trace),
      model(subject.model),
      waits(subject.waits),
      options(doctor_options),
      is_mirage(!trace.info.records_waits()),
      explained_(waits.waits.size(), false) {
  for (const StringId kind : trace.kinds)
    kind_classes_.push_back(skein::kind_class(trace.strings[kind]));

  // A ring may have overwritten the end of a task in one stream, but not its start in another. A
  // task that is older than the time from which all streams are complete is live only if the live
  // task table contains it.
  const uint64_t complete_from = trace.info.complete_from;
  if (complete_from == 0) return;
  may_have_ended_.assign(model.tasks.size(), false);
  for (TaskIndex i = 0; i < model.tasks.size(); i++)
    may_have_ended_[i] = task(i).how == Model::End::Overwritten ||
                         (task(i).how == Model::End::Open && task(i).start < complete_from &&
                          trace.find_live_task(task(i).id) == nullptr);
}

}  // namespace skein::detail
