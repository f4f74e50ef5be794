// Which tasks have a row: those that pass the filter and have no collapsed ancestor.
#include <algorithm>
#include <functional>

#include "base/stable_sort.h"
#include "base/text.h"
#include "view/viewer/state.h"

namespace skein {

using State = Viewer::State;

std::string executor_text(const Trace& trace, uint32_t executor) {
  std::string text = "executor " + std::to_string(executor);
  if (executor >= trace.executors.size()) return text;
  const Executor& known = trace.executors[executor];
  if (known.name != 0) text = safe_text(trace.strings[known.name], 100);
  if (known.tid != 0) text += " (thread " + std::to_string(known.tid) + ")";
  return text;
}

std::string kind_text(const Trace& trace, const Model::Task& task) {
  if (task.kind >= trace.kinds.size()) return "unknown";
  return safe_text(trace.strings[trace.kinds[task.kind]], 100);
}

bool equal(const Filter& a, const Filter& b) {
  return a.label == b.label && a.kind == b.kind && a.executor == b.executor &&
         a.shortest == b.shortest && a.longest == b.longest && a.only_stuck == b.only_stuck;
}

namespace {

void sort_unique(std::vector<std::string>& texts) {
  stable_sort(texts, std::less<>());
  texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
}

}  // namespace

std::vector<std::string> Viewer::kinds() const {
  std::vector<std::string> all;
  for (const auto& traced : state_->traces) {
    std::vector<uint8_t> used(traced->trace.kinds.size() + 1, 0);
    for (const Model::Task& task : traced->model.tasks) {
      const size_t kind = std::min<size_t>(task.kind, traced->trace.kinds.size());
      if (used[kind]++ == 0) all.push_back(kind_text(traced->trace, task));
      used[kind] = 1;
    }
  }
  sort_unique(all);
  return all;
}

std::vector<std::string> Viewer::executors() const {
  std::vector<std::string> all;
  for (const auto& traced : state_->traces)
    for (uint32_t i = 0; i < traced->trace.executors.size(); i++)
      if (traced->executors[i]) all.push_back(executor_text(traced->trace, i));
  sort_unique(all);
  return all;
}

void Viewer::set_filter(const skein::Filter& filter) {
  State& s = *state_;
  if (equal(filter, s.filter)) return;
  s.filter = filter;
  for (const auto& traced : s.traces) s.filter_tasks(*traced);
  s.arrange_tracks();
  s.find_again();
}

void State::filter_tasks(Traced& traced) {
  traced.passes = passing(traced.trace, traced.model, traced.search, filter);
  show_tasks(traced);
}

std::vector<uint8_t> passing(const Trace& trace, const Model& model, Search& search,
                             const Filter& filter) {
  std::vector<uint8_t> passes;
  if (equal(filter, {})) return passes;
  if (!filter.label.empty())
    search.run(filter.label, passes);
  else
    passes.assign(model.tasks.size(), 1);

  std::vector<uint8_t> kinds;
  for (const StringId kind : trace.kinds)
    kinds.push_back(filter.kind.empty() || safe_text(trace.strings[kind], 100) == filter.kind);
  const bool unknown = filter.kind.empty() || filter.kind == "unknown";
  for (size_t i = 0; i < passes.size(); i++) {
    const Model::Task& task = model.tasks[i];
    const uint64_t duration = std::max(task.start, task.end) - task.start;
    if (duration < filter.shortest || duration > filter.longest ||
        (filter.only_stuck && !task.is_stuck()) ||
        !(task.kind < kinds.size() ? kinds[task.kind] != 0 : unknown))
      passes[i] = 0;
  }
  if (!filter.executor.empty()) {
    std::vector<uint8_t> wanted;
    for (uint32_t i = 0; i < trace.executors.size(); i++)
      wanted.push_back(executor_text(trace, i) == filter.executor);
    const auto fits = [&](uint32_t executor) {
      return executor < wanted.size() && wanted[executor] != 0;
    };
    std::vector<uint8_t> there(passes.size(), 0);
    for (size_t i = 0; i < passes.size(); i++) there[i] = fits(model.tasks[i].executor);
    for (const Model::Activation& activation : model.activations)
      if (activation.task < there.size() && fits(activation.executor)) there[activation.task] = 1;
    for (size_t i = 0; i < passes.size(); i++) passes[i] &= there[i];
  }
  return passes;
}

void State::show_tasks(Traced& traced) {
  asked_version++;
  const bool all_before = traced.shown.empty();
  Shown now = skein::shown(traced.model, traced.passes, traced.collapsed);
  traced.shown = std::move(now.tasks);
  traced.hidden = std::move(now.hidden);
  if (!all_before || !traced.shown.empty()) traced.arranged = false;
}

// Parents are not always before their children, and a damaged trace could have circles: each chain
// is followed up to what is known already, and then all of it is known.
Shown shown(const Model& model, const std::vector<uint8_t>& passes,
            const std::vector<uint8_t>& collapsed) {
  Shown all{.tasks = passes};
  if (std::find(collapsed.begin(), collapsed.end(), 1) == collapsed.end()) return all;
  const std::vector<Model::Task>& tasks = model.tasks;
  enum : uint8_t { Unknown, OnTheWay, Seen, Hidden };
  std::vector<uint8_t> state(tasks.size(), Unknown);
  std::vector<TaskIndex> inside(tasks.size(), no_index);
  std::vector<TaskIndex> chain;
  for (TaskIndex i = 0; i < tasks.size(); i++) {
    chain.clear();
    TaskIndex at = i;
    while (at < tasks.size() && state[at] == Unknown) {
      state[at] = OnTheWay;
      chain.push_back(at);
      at = tasks[at].parent;
    }
    // Into which task it is collapsed; none: it is to be seen.
    TaskIndex into = no_index;
    if (at < tasks.size() && state[at] == Hidden)
      into = inside[at];
    else if (at < tasks.size() && state[at] == Seen && collapsed[at] != 0)
      into = at;
    for (auto task = chain.rbegin(); task != chain.rend(); ++task) {
      state[*task] = into != no_index ? Hidden : Seen;
      inside[*task] = into;
      if (into == no_index && collapsed[*task] != 0) into = *task;
    }
  }
  if (all.tasks.empty()) all.tasks.assign(tasks.size(), 1);
  all.hidden.assign(tasks.size(), 0);
  for (TaskIndex i = 0; i < tasks.size(); i++) {
    if (state[i] != Hidden) continue;
    all.tasks[i] = 0;
    all.hidden[inside[i]]++;
  }
  return all;
}

void State::collapse_selected() {
  if (!selected_task()) return;
  Traced& of = traced(selection.track);
  of.collapsed.resize(of.model.tasks.size(), 0);
  of.collapsed[selection.index] ^= 1;
  show_tasks(of);
  panel_valid = false;
  arrange_tracks();
}

// Whatever hides the task by being collapsed is opened. Was there any?
bool State::expand_above(Traced& of, TaskIndex task) {
  if (of.collapsed.empty()) return false;
  bool any = false;
  size_t steps = 0;
  for (TaskIndex at = of.model.tasks[task].parent;
       at < of.collapsed.size() && steps < of.collapsed.size();
       at = of.model.tasks[at].parent, steps++) {
    any = any || of.collapsed[at] != 0;
    of.collapsed[at] = 0;
  }
  if (any) show_tasks(of);
  return any;
}

}  // namespace skein
