#include "view/viewer/finder.h"

#include <utility>

#include "base/stable_sort.h"
#include "view/viewer/panel/task_text.h"

namespace skein {

void Finder::set_trace(size_t track, FoldedTexts texts) {
  const SessionTrace& of = session_[track];
  Results fresh{.search = Search(of.trace, of.model, std::move(texts))};
  if (track < results_.size())
    results_[track] = std::move(fresh);
  else
    results_.push_back(std::move(fresh));
  refilter(track);
}

void Finder::refilter(size_t track) {
  version_++;
  const SessionTrace& of = session_[track];
  const Findings* findings = filter_.only_stuck ? &findings_[track] : nullptr;
  results_[track].passes = passing(of.trace, of.model, results_[track].search, filter_, findings);
}

std::vector<uint8_t> passing(const Trace& trace, const Model& model, Search& search,
                             const Filter& filter, const Findings* findings) {
  std::vector<uint8_t> passes;
  if (filter == Filter()) return passes;
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
        !(task.kind < kinds.size() ? kinds[task.kind] != 0 : unknown))
      passes[i] = 0;
  }
  if (filter.only_stuck) {
    std::vector<uint8_t> stuck(passes.size(), 0);
    for (const StuckTask& one : findings->stuck) stuck[one.task] = 1;
    for (size_t i = 0; i < passes.size(); i++) passes[i] &= stuck[i];
  }
  if (filter.executor.empty()) return passes;
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
  return passes;
}

void Finder::set_text(std::string_view text) {
  text_ = text;
  at_ = 0;
}

void Finder::search_again(const Item& at) {
  for (Results& results : results_) {
    results.found.clear();
    if (!text_.empty()) results.search.run(text_, results.found);
  }
  settle(at);
}

void Finder::take(size_t track, Results results, bool filtered) {
  if (!filtered) results.passes = std::move(results_[track].passes);
  results_[track] = std::move(results);
}

bool Finder::is_found(size_t track, TaskIndex task) const {
  const std::vector<uint8_t>& found = results_[track].found;
  return task < found.size() && found[task] != 0;
}

void Finder::settle(const Item& at) {
  version_++;
  const bool stepped = std::exchange(at_, 0) != 0;
  count_ = 0;
  matches_.clear();
  for (Results& of : results_) {
    if (!of.passes.empty())
      for (size_t i = 0; i < of.found.size(); i++) of.found[i] &= of.passes[i];
    count_ += static_cast<size_t>(std::count(of.found.begin(), of.found.end(), 1));
  }
  if (!stepped || at.kind != Item::Kind::Task || !is_found(at.track, at.index)) return;
  sort_matches();
  while (matches_[at_].track != at.track || matches_[at_].task != at.index) at_++;
  at_++;
}

void Finder::sort_matches() {
  if (!matches_.empty() || count_ == 0) return;
  matches_.reserve(count_);
  for (uint32_t track = 0; track < results_.size(); track++) {
    const SessionTrace& of = session_[track];
    for (TaskIndex task = 0; task < results_[track].found.size(); task++)
      if (is_found(track, task))
        matches_.push_back({of.on_clock(of.model.tasks[task].start), track, task});
  }
  stable_sort(matches_, [](const Match& a, const Match& b) { return a.time < b.time; });
}

const Finder::Match* Finder::step(int direction, double edge) {
  sort_matches();
  const size_t count = matches_.size();
  if (count == 0) return nullptr;
  size_t next = 0;
  if (at_ != 0) {
    next = (at_ - 1 + (direction > 0 ? 1 : count - 1)) % count;
  } else {
    const auto after = std::partition_point(
        matches_.begin(), matches_.end(),
        [&](const Match& match) { return direction > 0 ? match.time < edge : match.time <= edge; });
    const auto before = static_cast<size_t>(after - matches_.begin());
    next = direction > 0 ? before % count : (before + count - 1) % count;
  }
  at_ = next + 1;
  return &matches_[next];
}

}  // namespace skein
