#include "trace/ask/doctor/findings.h"

#include <algorithm>

#include "trace/ask/doctor/evidence.h"

namespace skein::detail {

namespace {

// In a damaged trace a task may be destroyed before it is created.
std::vector<Finding::Evidence> in_bounds(std::vector<Finding::Evidence> evidence) {
  for (Finding::Evidence& e : evidence) e.end = std::max(e.begin, e.end);
  return evidence;
}

}  // namespace

void Findings::add_identity(uint64_t* key, TaskIndex index) const {
  if (index == no_index) return;
  const Model::Task& t = context_.task(index);
  key[0] = uint64_t{t.kind} << 32 | t.location;
  key[1] = uint64_t{t.name} << 32 | (t.location == 0 || t.is_resource ? t.label : 0);
}

void Findings::add(const Candidate& c) {
  if (!context_.is_enabled(c.lint)) return;
  Key key = {static_cast<uint64_t>(c.lint) << 8 | static_cast<uint64_t>(c.severity), c.location};
  add_identity(&key[2], c.task);
  add_identity(&key[4], c.other);
  if (c.lint == Lint::LockOrderCycle) key[1] = c.value;
  if (c.lint == Lint::CounterOnlyGrows) key[1] = c.value << 32;
  Group& group = groups_[key];
  if (group.count == 0 || c.duration > group.worst.duration) group.worst = c;
  group.count++;
  group.total += c.duration;
}

std::vector<Finding> Findings::all() const {
  std::vector<Finding> found;
  EvidenceFinder evidence(context_, sources);
  for (const auto& [key, group] : groups_) {
    const Candidate& c = group.worst;
    found.push_back(
        {.lint = c.lint,
         .severity = c.severity,
         .task = c.task,
         .other = c.other,
         .counter = c.lint == Lint::CounterOnlyGrows ? static_cast<StringId>(c.value) : 0,
         .begin = c.begin,
         .end = std::max(c.begin, c.end),
         .evidence = in_bounds(evidence.find(c)),
         .duration = c.duration,
         .cpu = c.lint == Lint::RanTooLong ? sources.runs[c.index].cpu : std::nullopt,
         .held = c.lint == Lint::LockAcrossWait && c.other == no_index
                     ? std::optional(sources.held[c.value])
                     : std::nullopt,
         .count = group.count,
         .total = group.total});
  }
  std::stable_sort(found.begin(), found.end(), [](const Finding& a, const Finding& b) {
    if (a.severity != b.severity) return a.severity < b.severity;
    if (a.lint != b.lint) return a.lint < b.lint;
    return a.begin < b.begin;
  });
  return found;
}

}  // namespace skein::detail
