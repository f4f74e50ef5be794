#include "view/viewer/findings.h"

#include <algorithm>
#include <array>
#include <utility>

#include "trace/model/names.h"
#include "view/viewer/panel/task_text.h"

namespace skein {

namespace {

std::string summary(const Model& model, const std::vector<Diagnosis>& errors) {
  if (errors.empty()) return {};
  size_t in_all = 0;
  bool is_over = true;                    // all have been destroyed since
  std::array<size_t, verdicts> counts{};  // by verdict
  for (const Diagnosis& d : errors) {
    counts[static_cast<size_t>(d.verdict)] += 1 + d.similar.size();
    in_all += 1 + d.similar.size();
    is_over &= model.tasks[d.chain[0].task].how != Model::End::Open;
  }
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

Findings::Findings(const Trace& trace, const Model& shown) {
  const auto is_simplified = [](const Model::Task& task) { return task.starts_late; };
  if (std::any_of(shown.tasks.begin(), shown.tasks.end(), is_simplified))
    whole = build_model(trace, {.simplify = false});
  waits = find_waits(trace, model(shown));
  errors = diagnose_all(trace, model(shown), waits);
  while (!errors.empty() && !errors.back().is_error()) errors.pop_back();  // errors come first
  alarm = summary(model(shown), errors);

  if (errors.empty()) return;
  const Subject about = subject(trace, shown);
  const LiveTaskFinder live(about);
  const auto add = [&](const Diagnosis& d, TaskIndex task) {
    Diagnosis::Step step = d.chain[0];
    step.task = task;
    step.wait = waits.last_wait[task];
    const int64_t begin = since(about, live, step);
    stuck.push_back({task, static_cast<uint64_t>(std::max<int64_t>(0, begin))});
  };
  for (const Diagnosis& d : errors) {
    add(d, d.chain[0].task);
    for (const TaskIndex task : d.similar) add(d, task);
    if (d.cancel == Model::Object::none) continue;
    const Model::Cancel& cancel = about.model.cancels[d.cancel];
    lost_cancels.push_back({cancel.time, cancel.by});
  }
  std::sort(stuck.begin(), stuck.end(),
            [](const StuckTask& a, const StuckTask& b) { return a.task < b.task; });
  const auto same = [](const StuckTask& a, const StuckTask& b) { return a.task == b.task; };
  stuck.erase(std::unique(stuck.begin(), stuck.end(), same), stuck.end());
}

const Findings& SessionFindings::operator[](size_t which) const {
  std::shared_ptr<const Findings>& found = findings_[which];
  if (!found) {
    found = std::make_shared<const Findings>(session_[which].trace, session_[which].model);
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
