#include "view/viewer/session.h"

#include <cassert>
#include <cmath>
#include <utility>

#include "base/text.h"

namespace skein {

uint64_t time_of(const Facts& facts, const SignOfLife& life) {
  if (life.utc == 0 || !facts.utc_offset) return 0;
  const uint64_t begin = facts.start + static_cast<uint64_t>(*facts.utc_offset);
  constexpr uint64_t longest = uint64_t{1} << 62;
  return life.utc > begin && life.utc - begin < longest ? life.utc - begin : 0;
}

namespace {

// A reader may list an executor of which nothing else is known: it is not worth a line.
std::vector<uint8_t> used_executors(const Trace& trace, const Model& model) {
  std::vector<uint8_t> used;
  for (const Executor& executor : trace.executors)
    used.push_back(executor.name != 0 || executor.tid != 0);
  const auto use = [&](uint32_t executor) {
    if (executor < used.size()) used[executor] = 1;
  };
  if (std::count(used.begin(), used.end(), 0) == 0) return used;
  for (const Model::Task& task : model.tasks) use(task.executor);
  for (const Model::Activation& activation : model.activations) use(activation.executor);
  return used;
}

// Time 0 of `to` less that of `from`: by the counter if they share one, else in UTC; no_time: not
// both have it.
double clock_distance(const Facts& from, const Facts& to) {
  if (from.tick_clock.is_same_axis(to.tick_clock))
    return static_cast<double>(static_cast<int64_t>(to.start - from.start));
  if (!from.utc_offset || !to.utc_offset) return no_time;
  const uint64_t a = from.start + static_cast<uint64_t>(*from.utc_offset);
  const uint64_t b = to.start + static_cast<uint64_t>(*to.utc_offset);
  // Clocks that are nonsense may differ by more than 63 bits.
  const double roughly =
      static_cast<double>(static_cast<int64_t>(b)) - static_cast<double>(static_cast<int64_t>(a));
  return std::fabs(roughly) > 9e18 ? roughly : static_cast<double>(static_cast<int64_t>(b - a));
}

// By the counter through an earlier trace that shares it: UTC is less exact, and the first trace
// may have another counter.
double distance_from_first(const auto& traces, const std::vector<double>& earlier) {
  const Facts& facts = traces[earlier.size()]->trace.facts;
  for (size_t i = 0; i < earlier.size(); i++)
    if (facts.tick_clock.is_same_axis(traces[i]->trace.facts.tick_clock))
      return earlier[i] + clock_distance(traces[i]->trace.facts, facts);
  return clock_distance(traces[0]->trace.facts, facts);
}

}  // namespace

SessionTrace::SessionTrace(Trace of, Model made, SignOfLife sign,
                           std::shared_ptr<const Findings> found)
    : trace(std::move(of)),
      model(std::move(made)),
      life(sign),
      executors(used_executors(trace, model)),
      findings_(std::move(found)) {}

const Findings& SessionTrace::findings() const {
  if (!findings_) findings_ = std::make_shared<const Findings>(trace, model);
  return *findings_;
}

void Session::add(std::shared_ptr<SessionTrace> trace, const std::string& title) {
  if (empty()) zero_ = trace->trace.facts.start;
  std::string name = title;
  const auto is_taken = [&](const auto& other) { return other->title == safe_text(name); };
  for (int i = 2; std::any_of(begin(), end(), is_taken); i++)
    name = title + " (" + std::to_string(i) + ")";
  trace->title = safe_text(name);
  traces_.push_back(std::move(trace));
  align();
}

void Session::replace(size_t which, std::shared_ptr<SessionTrace> fresh) {
  const SessionTrace& old = *traces_[which];
  fresh->title = old.title;
  fresh->offset = old.offset;
  const uint64_t later = fresh->trace.facts.start - old.trace.facts.start;
  // What had no event, and no beginning either, begins where it was.
  if (old.trace.facts.start != 0 || !old.trace.events.empty())
    fresh->offset += static_cast<double>(static_cast<int64_t>(later));
  else if (which == 0)
    zero_ += later;
  traces_[which] = std::move(fresh);
}

void Session::grow(size_t which) {
  SessionTrace& trace = *traces_[which];
  assert(traces_[which].use_count() == 1);
  trace.model = build_model(trace.trace, {.until = time_of(trace.trace.facts, trace.life)});
}

// Two runs of an hour ago and now would be two dots on a line of an hour: they are compared from
// their beginnings.
void Session::align() {
  if (empty()) return;
  double begin = 0;
  double end = 0;
  double sum = 0;
  by_clock_ = size() > 1 && !from_start_;
  std::vector<double> offsets;
  for (const auto& trace : traces_) {
    const double offset = distance_from_first(traces_, offsets);
    const auto duration = static_cast<double>(trace->model.end);
    offsets.push_back(offset);
    if (std::isnan(offset)) by_clock_ = false;
    begin = std::min(begin, offset);
    end = std::max(end, offset + duration);
    sum += duration;
  }
  by_clock_ = by_clock_ && end - begin <= 2 * sum;
  const uint64_t begin_of_first = traces_[0]->trace.facts.start - zero_;
  const auto first = static_cast<double>(static_cast<int64_t>(begin_of_first));
  for (size_t i = 0; i < size(); i++) traces_[i]->offset = first + (by_clock_ ? offsets[i] : 0);
}

double Session::first() const {
  double first = empty() ? 0 : traces_[0]->begin();
  for (const auto& trace : traces_) first = std::min(first, trace->begin());
  return first;
}

double Session::last() const {
  double last = empty() ? 0 : traces_[0]->end();
  for (const auto& trace : traces_) last = std::max(last, trace->end());
  return last;
}

}  // namespace skein
