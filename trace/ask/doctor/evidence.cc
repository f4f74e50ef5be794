#include "trace/ask/doctor/evidence.h"

#include <algorithm>

#include "trace/ask/none.h"

namespace skein::detail {

using Evidence = Finding::Evidence;
using EvidenceKind = Evidence::Kind;

Evidence EvidenceFinder::created(TaskIndex i) const {
  return {.kind = EvidenceKind::Created,
          .begin = task(i).start,
          .end = task(i).start,
          .task = i,
          .other = task(i).parent,
          .location = task(i).location};
}

Evidence EvidenceFinder::ended(TaskIndex i) const {
  const Waits::LastEvent& last = waits_.last_events[i];
  const bool known = last.time == task(i).end && last.kind != EventKind::Lost;
  return {.kind = EvidenceKind::Ended,
          .begin = task(i).end,
          .end = task(i).end,
          .task = i,
          .other = known ? last.by : no_index,
          .location = known ? last.location : 0};
}

Evidence EvidenceFinder::waits(uint32_t index) const {
  const Waits::Wait& w = waits_.waits[index];
  return {.kind = EvidenceKind::Waits,
          .begin = w.begin,
          .end = w.end,
          .task = w.task,
          .other = w.on,
          .location = w.location};
}

Evidence EvidenceFinder::holds(uint32_t index) const {
  const Waits::Holding& h = waits_.holdings[index];
  return {.kind = EvidenceKind::Holds,
          .begin = h.begin,
          .end = h.end,
          .task = h.holder,
          .other = h.resource,
          .location = h.location};
}

// Limits the cost of all searches together: false once they would take longer than the rest of the
// analysis.
bool EvidenceFinder::may_look_at(size_t rows) {
  constexpr uint64_t most = 200'000'000;
  looked_at_ += rows;
  return looked_at_ <= most;
}

void EvidenceFinder::add_busiest(std::vector<Evidence>& out, uint32_t executor,
                                 const Candidate& c) {
  if (!may_look_at(busiest_.between(executor, c.begin, c.end).size())) return;
  const TaskIndex who = busiest_.on(executor, c.begin, c.end, c.task);
  if (who == no_index) return;
  Evidence ran{.kind = EvidenceKind::Runs, .task = who, .location = task(who).location};
  for (const uint32_t i : busiest_.between(executor, c.begin, c.end)) {
    const Model::Activation& a = model_.activations[i];
    if (a.task != who) continue;
    const uint64_t from = std::max(a.start, c.begin);
    if (ran.of == 0) ran.begin = from;
    ran.end = std::min(a.end, c.end);
    ran.of += ran.end - from;
  }
  out.push_back(ran);
}

uint64_t EvidenceFinder::could_have_run(const Run& run) {
  if (!may_look_at(waits_.waits.size())) return 0;
  uint64_t count = 0;
  for (const Waits::Wait& w : waits_.waits)
    count += w.executor == run.executor && w.task != run.task && w.ready >= run.begin &&
             w.ready < run.end && w.end >= run.end;
  return count;
}

void EvidenceFinder::add_edges(std::vector<Evidence>& out, const LockCycle& cycle) const {
  for (const LockCycle::Edge& edge : cycle.edges) {
    out.push_back({.kind = EvidenceKind::Holds,
                   .begin = edge.since,
                   .end = edge.time,
                   .task = edge.task,
                   .other = edge.held,
                   .location = edge.held_location});
    if (edge.wait != none)
      out.push_back(waits(edge.wait));
    else
      out.push_back({.kind = EvidenceKind::Takes,
                     .begin = edge.time,
                     .end = edge.time,
                     .task = edge.task,
                     .other = edge.taken,
                     .location = edge.location});
  }
}

void EvidenceFinder::add_chain(std::vector<Evidence>& out, const Diagnosis& d) const {
  for (const Diagnosis::Step& step : d.chain) {
    if (step.wait != none)
      out.push_back(waits(step.wait));
    else if (step.holding != none)
      out.push_back(holds(step.holding));
    else if (!task(step.task).is_resource && has_ended(step.task))
      out.push_back(ended(step.task));
  }
  if (out.empty()) out.push_back(created(d.chain.front().task));
}

void EvidenceFinder::add_long_wait(std::vector<Evidence>& out, const Candidate& c) {
  const Waits::Wait& w = waits_.waits[c.index];
  out.push_back(waits(c.index));
  if (c.second == none) return add_longest_holding(out, c);
  out.push_back({.kind = EvidenceKind::CouldRun,
                 .begin = w.ready,
                 .end = w.end,
                 .task = w.task,
                 .other = w.waker,
                 .location = w.location});
  add_busiest(out, w.executor, c);
}

// Adds the longest holding of the lock that it waits for, if its target is a lock.
void EvidenceFinder::add_longest_holding(std::vector<Evidence>& out, const Candidate& c) const {
  if (c.other == no_index) return;
  const std::vector<Waits::Holding>& holdings = waits_.holdings;
  uint32_t longest = none;
  uint64_t most = 0;
  for (uint32_t i = waits_.last_holding[c.other]; i != none; i = holdings[i].before) {
    const uint64_t begin = std::max(holdings[i].begin, c.begin);
    const uint64_t end = std::min({holdings[i].end, model_.end, c.end});
    if (holdings[i].holder == no_index || end <= begin || end - begin <= most) continue;
    most = end - begin;
    longest = i;
  }
  if (longest == none) return;
  out.push_back(holds(longest));
  const TaskIndex holder = holdings[longest].holder;
  if (has_ended(holder) && holdings[longest].end == Waits::never) out.push_back(ended(holder));
}

void EvidenceFinder::add_lost_wakeup(std::vector<Evidence>& out, const Candidate& c) const {
  if (c.second == none) {
    out.push_back(ended(c.other));
  } else {
    const Waits::Notification& n = waits_.notifications[c.second];
    out.push_back({.kind = EvidenceKind::Notified,
                   .begin = n.time,
                   .end = n.time,
                   .task = n.target,
                   .other = n.by,
                   .location = n.location,
                   .value = n.woken});
  }
  out.push_back(waits(c.index));
}

void EvidenceFinder::add_destroyed(std::vector<Evidence>& out, const Candidate& c) const {
  out.push_back(created(c.task));
  if (c.second != none) out.push_back(holds(c.second));
  if (c.index != none) out.push_back(waits(c.index));
  if (const uint32_t last = waits_.last_wait[c.task]; last != none && waits_.waits[last].cancelled)
    out.push_back(waits(last));
  out.push_back(ended(c.task));
}

void EvidenceFinder::add_never_run(std::vector<Evidence>& out, const Candidate& c) {
  out.push_back(created(c.task));
  if (has_ended(c.task))
    out.push_back(ended(c.task));
  else if (c.lint == Lint::HandlerNeverInvoked)
    add_busiest(out, task(c.task).executor, c);
}

Evidence EvidenceFinder::ran(const Candidate& c) {
  const Run& run = sources_.runs[c.index];
  return {.kind = EvidenceKind::Runs,
          .begin = run.begin,
          .end = run.end,
          .task = run.task,
          .location = c.location,
          .value = could_have_run(run),
          .of = run.ran};
}

void EvidenceFinder::add_growth(std::vector<Evidence>& out, const Growth& g) {
  out.push_back({.kind = EvidenceKind::Level,
                 .begin = g.begin,
                 .end = g.begin,
                 .task = g.resource,
                 .value = static_cast<uint64_t>(g.from)});
  out.push_back({.kind = EvidenceKind::Level,
                 .begin = g.end,
                 .end = g.end,
                 .task = g.resource,
                 .value = static_cast<uint64_t>(g.to)});
}

void EvidenceFinder::add(std::vector<Evidence>& out, const Candidate& c) {
  switch (c.lint) {
    case Lint::NotifyBeforeWait:
      return add_lost_wakeup(out, c);
    case Lint::LockOrderCycle:
      return add_edges(out, sources_.cycles[c.index]);
    case Lint::DestroyedUnresolved:
      return add_destroyed(out, c);
    case Lint::NeverStarted:
    case Lint::HandlerNeverInvoked:
      return add_never_run(out, c);
    case Lint::OperationPending:
      out.push_back(created(c.task));
      if (c.value != 0)
        add_chain(out, sources_.diagnoses[c.index]);
      else if (c.index != none)
        out.push_back(waits(c.index));
      return;
    case Lint::SuspendedTooLong:
      return c.value != 0 ? add_chain(out, sources_.diagnoses[c.index]) : add_long_wait(out, c);
    case Lint::RanTooLong:
      return out.push_back(ran(c));
    case Lint::LockAcrossWait:
      if (c.other != no_index) out.push_back(holds(static_cast<uint32_t>(c.value)));
      out.push_back(waits(c.index));
      if (c.second != none) out.push_back(waits(c.second));
      return;
    case Lint::SelfWake:
      out.push_back({.kind = EvidenceKind::Woken,
                     .begin = c.begin,
                     .end = c.end,
                     .task = c.task,
                     .location = c.location,
                     .value = c.value,
                     .of = c.index == none ? 0 : c.second});
      if (c.index != none) out.push_back(waits(c.index));
      return;
    case Lint::SequentialAwaits:
      out.push_back(waits(c.index));
      out.back().value = c.value;
      return out.push_back(waits(c.second));
    case Lint::CounterOnlyGrows:
    case Lint::QueueOnlyGrows:
      return add_growth(out, sources_.growths[c.index]);
  }
}

// By time; for a cycle, edge by edge; for a wait, along its chain.
std::vector<Evidence> EvidenceFinder::find(const Candidate& c) {
  std::vector<Evidence> out;
  add(out, c);
  if (c.lint != Lint::LockOrderCycle && c.lint != Lint::SuspendedTooLong)
    std::stable_sort(out.begin(), out.end(),
                     [](const Evidence& a, const Evidence& b) { return a.begin < b.begin; });
  return out;
}

}  // namespace skein::detail
