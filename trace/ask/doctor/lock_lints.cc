#include <algorithm>
#include <span>
#include <vector>

#include "trace/ask/doctor/lints.h"
#include "trace/ask/none.h"
#include "trace/ask/rows_by.h"

namespace skein::detail {

namespace {

using Severity = Finding::Severity;

// Limits the number of runs to the longest ones.
std::vector<Run> longest(std::vector<Run> runs) {
  constexpr size_t most = 1000;
  if (runs.size() <= most) return runs;
  std::nth_element(runs.begin(), runs.begin() + most, runs.end(),
                   [](const Run& a, const Run& b) { return a.ran > b.ran; });
  runs.resize(most);
  return runs;
}

class LockLints {
 public:
  LockLints(LintContext& context, Findings& found)
      : context_(context),
        waits_(context.waits),
        found_(found),
        blockers_(longest(found.sources.runs)) {}

  void look_at_order() {
    found_.sources.cycles = lock_cycles(context_.trace, context_.model, waits_);
    for (uint32_t i = 0; i < found_.sources.cycles.size(); i++) look_at(i);
  }

  // For each wait for a lock: what does the lock's holder wait for?
  void look_at_victims() {
    const uint64_t least = context_.limit(Lint::LockAcrossWait);
    for (const Waits::Wait& victim : waits_.waits) {
      if (victim.on == no_index || context_.length(victim) < least || !context_.is_mutex(victim.on))
        continue;
      const std::span<const uint32_t> holdings = holdings_of(victim.on);
      const auto since = [&](uint32_t h) { return waits_.holdings[h].begin; };
      auto at = std::upper_bound(holdings.begin(), holdings.end(), victim.begin,
                                 [&](uint64_t time, uint32_t h) { return time < since(h); });
      if (at != holdings.begin()) --at;
      for (; at != holdings.end() && since(*at) < context_.until_end(victim.end); ++at) {
        const Waits::Holding& h = waits_.holdings[*at];
        const uint64_t begin = std::max(h.begin, victim.begin);
        const uint64_t end = std::min(context_.until_end(h.end), context_.until_end(victim.end));
        if (h.holder == no_index || h.holder == victim.task || end < begin + least) continue;
        look_at_holder(*at, begin, end, least, &victim);
      }
    }
  }

  // Reports holders that wait even if no task waits for the lock.
  void look_at_holdings() {
    for (uint32_t i = 0; i < waits_.holdings.size(); i++) {
      const Waits::Holding& h = waits_.holdings[i];
      if (h.holder != no_index && context_.is_mutex(h.resource))
        look_at_holder(i, h.begin, context_.until_end(h.end), 1, nullptr);
    }
  }

 private:
  void look_at(uint32_t index) {
    const LockCycle& cycle = found_.sources.cycles[index];
    uint64_t begin = UINT64_MAX;
    uint64_t end = 0;
    uint64_t places = 0;  // similar: the same locations in any order
    for (const LockCycle::Edge& edge : cycle.edges) {
      begin = std::min(begin, edge.since);
      end = std::max(end, edge.time);
      uint64_t mixed = (uint64_t{edge.location} << 32 | edge.held_location) + 1;
      mixed = mixed * 0x9E3779B97F4A7C15ull + context_.task(edge.task).location;
      places += mixed * 0x9E3779B97F4A7C15ull + context_.task(edge.held).name;
      if (edge.wait != none && cycle.is_deadlock()) context_.explain(edge.wait);
    }
    found_.add({.lint = Lint::LockOrderCycle,
                .severity = cycle.is_deadlock() ? Severity::Error : Severity::Warning,
                .task = cycle.edges[0].held,
                .other = cycle.edges[0].taken,
                .begin = begin,
                .end = end,
                .index = index,
                .value = places});
  }

  // Reports the holder if it waited at least `least` ns of the interval.
  void look_at_holder(uint32_t holding, uint64_t begin, uint64_t end, uint64_t least,
                      const Waits::Wait* victim) {
    const Waits::Holding& h = waits_.holdings[holding];
    const std::span<const uint32_t> waits = waits_of(h.holder);
    auto at = std::upper_bound(waits.begin(), waits.end(), h.begin, [&](uint64_t time, uint32_t w) {
      return time < waits_.waits[w].begin;
    });
    uint64_t waited = 0;
    uint64_t longest = 0;
    const Waits::Wait* why = nullptr;
    for (; at != waits.end() && waits_.waits[*at].begin < end; ++at) {
      const Waits::Wait& w = waits_.waits[*at];
      // A wait for another lock is a problem of that lock's holder.
      if (w.on != no_index && context_.is_mutex(w.on)) continue;
      const uint64_t from = std::max(w.begin, begin);
      const uint64_t to = std::min(context_.until_end(std::min(w.ready, w.end)), end);
      if (to <= from) continue;
      const uint64_t time = to - from - blocked(w.executor, from, to);
      waited += time;
      if (time > longest) {
        longest = time;
        why = &w;
      }
    }
    if (why == nullptr || waited < least) return;
    if (victim != nullptr) context_.explain(context_.index_of(*victim));
    found_.add({.lint = Lint::LockAcrossWait,
                .severity = victim != nullptr ? Severity::Warning : Severity::Note,
                .task = h.holder,
                .other = h.resource,
                .begin = h.begin,
                .end = context_.until_end(h.end),
                .duration = waited,
                .location = why->location,
                .index = context_.index_of(*why),
                .second = victim != nullptr ? context_.index_of(*victim) : none,
                .value = holding});
  }

  // Sorted on demand: most traces have no victim.
  std::span<const uint32_t> holdings_of(TaskIndex lock) {
    if (holdings_by_lock_.count() == 0)
      holdings_by_lock_ = RowsBy(waits_.holdings, context_.model.tasks.size(),
                                 [](const Waits::Holding& h) { return h.resource; });
    return holdings_by_lock_.of(lock);
  }
  std::span<const uint32_t> waits_of(TaskIndex task) {
    if (waits_by_task_.count() == 0)
      waits_by_task_ = RowsBy(waits_.waits, context_.model.tasks.size(),
                              [](const Waits::Wait& w) { return w.task; });
    return waits_by_task_.of(task);
  }

  // The part of the interval that long runs take, which let no timer or read of their executor
  // complete.
  uint64_t blocked(uint32_t executor, uint64_t begin, uint64_t end) const {
    uint64_t sum = 0;
    for (const Run& run : blockers_)
      if (run.executor == executor && run.begin < end && run.end > begin)
        sum += std::min(end, run.end) - std::max(begin, run.begin);
    return sum;
  }

  LintContext& context_;
  const Waits& waits_;
  Findings& found_;
  const std::vector<Run> blockers_;
  RowsBy holdings_by_lock_;
  RowsBy waits_by_task_;
};

}  // namespace

void add_lock_findings(LintContext& context, Findings& found) {
  if (context.waits.holdings.empty()) return;
  LockLints lints(context, found);
  if (context.is_enabled(Lint::LockOrderCycle)) lints.look_at_order();
  if (!context.is_enabled(Lint::LockAcrossWait)) return;
  lints.look_at_victims();
  if (context.options.strict) lints.look_at_holdings();
}

}  // namespace skein::detail
