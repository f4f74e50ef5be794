#include "view/viewer/findings.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/stable_sort.h"
#include "trace/model/names.h"
#include "view/viewer/panel/task_text.h"

namespace skein {

namespace {

std::string summary(const Model& model, const EndState& end, std::span<const TaskIndex> stuck) {
  if (stuck.empty()) return {};
  const size_t in_all = stuck.size();
  std::array<size_t, verdicts> counts{};  // by verdict
  for (const EndState::Stuck& s : end.stuck())
    counts[static_cast<size_t>(end.diagnoses()[s.diagnosis].verdict)]++;
  const bool is_over = std::all_of(stuck.begin(), stuck.end(), [&](TaskIndex task) {
    return !model.is_open(task);  // all have been destroyed since
  });
  std::string text = is_over ? counted(in_all, "task") + (in_all == 1 ? " was" : " were") + " stuck"
                             : counted(in_all, "stuck task");
  std::string_view before = ": ";
  for (size_t i = 0; i < counts.size(); i++) {
    if (counts[i] == 0) continue;
    text += before;
    if (counts[i] != in_all) text += grouped(counts[i]) + " ";
    text += name(static_cast<Verdict>(i));
    before = ", ";
  }
  return text;
}

}  // namespace

Findings::Findings(const Trace& trace, const Model& shown, bool is_live) {
  const auto is_simplified = [](const Model::Task& task) { return task.starts_late; };
  if (std::any_of(shown.tasks.begin(), shown.tasks.end(), is_simplified))
    whole = build_model(trace, {.simplify = false});
  waits = find_waits(trace, model(shown));
  const Subject all = subject(trace, shown);
  end = EndState(all, is_live);
  if (end.stuck().empty()) return;

  const Subject state = end.subject(all);
  const LiveTaskFinder live(state);
  for (const EndState::Stuck& s : end.stuck()) {
    const TaskIndex task = end.in_whole(all.model, s.task);
    if (task == no_index) continue;
    const Diagnosis::Step step{.task = s.task, .wait = state.waits.last_wait[s.task]};
    const int64_t begin = since(state, live, step);
    order.push_back(task);
    stuck.push_back({task, static_cast<uint64_t>(std::max<int64_t>(0, begin))});
  }
  alarm = summary(model(shown), end, order);
  stable_sort_by(stuck, [](const StuckTask& one) { return one.task; });
  for (const Diagnosis& d : end.diagnoses()) {
    if (!d.is_error() || d.cancel == Model::Object::none) continue;
    const Model::Cancel& cancel = state.model.cancels[d.cancel];
    lost_cancels.push_back({cancel.time, end.in_whole(all.model, cancel.by)});
  }
}

Diagnosis Findings::diagnose(const Trace& trace, const Model& shown, TaskIndex task) const {
  const Subject all = subject(trace, shown);
  const TaskIndex then = end.in_state(all.model, task);
  return then == no_index ? Diagnosis{.chain = {{.task = task}}} : end.diagnose(all, then);
}

const Findings& SessionFindings::operator[](size_t which) const {
  std::shared_ptr<const Findings>& found = findings_[which];
  if (!found) {
    found = std::make_shared<const Findings>(session_[which].trace, session_[which].model,
                                             session_[which].life.running);
    version_++;
  }
  return *found;
}

void SessionFindings::set_trace(size_t which, std::shared_ptr<const Findings> found) {
  if (which >= findings_.size()) findings_.resize(which + 1);
  findings_[which] = std::move(found);
  version_++;
}

}  // namespace skein
