#include "trace/session/session.h"

#include <cassert>
#include <utility>

#include "base/text.h"
#include "trace/session/align.h"

namespace skein {

uint64_t time_of(const TraceInfo& info, const SignOfLife& life) {
  if (life.utc == 0 || !info.utc_offset) return 0;
  const uint64_t begin = info.start + static_cast<uint64_t>(*info.utc_offset);
  constexpr uint64_t longest = uint64_t{1} << 62;
  return life.utc > begin && life.utc - begin < longest ? life.utc - begin : 0;
}

namespace {

// A reader may list an executor that has no other data; it does not deserve a row.
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

}  // namespace

SessionTrace::SessionTrace(Trace of, Model made, SignOfLife sign)
    : trace(std::move(of)),
      model(std::move(made)),
      life(sign),
      executors(used_executors(trace, model)) {}

void Session::add(std::shared_ptr<SessionTrace> trace, const std::string& title) {
  if (empty()) zero_ = trace->trace.info.start;
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
  const uint64_t later = fresh->trace.info.start - old.trace.info.start;
  // A trace that had neither events nor a start keeps its place.
  if (old.trace.info.start != 0 || !old.trace.events.empty())
    fresh->offset += static_cast<double>(static_cast<int64_t>(later));
  else if (which == 0)
    zero_ += later;
  traces_[which] = std::move(fresh);
}

void Session::grow(size_t which) {
  SessionTrace& trace = *traces_[which];
  assert(traces_[which].use_count() == 1);
  trace.model = build_model(
      trace.trace, {.until = time_of(trace.trace.info, trace.life), .is_live = trace.life.running});
}

void Session::align() {
  if (empty()) return;
  std::vector<Placed> placed;
  for (const auto& trace : traces_)
    placed.push_back({.info = trace->trace.info, .duration = trace->model.end});
  const TimeAlignment alignment =
      skein::align(placed, align_by_start_ ? AlignBy::Start : AlignBy::Clock);
  by_clock_ = alignment.by_clock;
  const uint64_t begin_of_first = traces_[0]->trace.info.start - zero_;
  const auto first = static_cast<double>(static_cast<int64_t>(begin_of_first));
  for (size_t i = 0; i < size(); i++) traces_[i]->offset = first + alignment.offsets[i];
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
