#include "trace/ask/abandoned.h"

#include <map>
#include <tuple>

#include "base/stable_sort.h"
#include "trace/ask/task_kinds.h"

namespace skein {

namespace {

struct Count {
  size_t ended = 0;  // by themselves
  size_t open = 0;
};
using Place = std::tuple<uint32_t, StringId, uint32_t>;  // kind, name, location

Place place_of(const Model::Task& task) { return {task.kind, task.name, task.location}; }

// Whether it is a coroutine that waits for no socket, and is not suspected yet.
bool may_be_abandoned(const Subject& s, const Diagnosis& d) {
  if (!d.is_usual() || d.chain.size() < 2) return false;
  const Model::Task& last = s.model.tasks[d.chain.back().task];
  return !s.trace.strings[last.name].starts_with("socket.") &&
         !s.trace.strings[last.name].starts_with("signal_set.");
}

}  // namespace

void find_abandoned(const Subject& s, std::vector<Diagnosis>& found) {
  constexpr size_t fewest = 10;
  std::map<Place, Count> counts;
  for (const Diagnosis& d : found)
    if (may_be_abandoned(s, d)) counts[place_of(s.model.tasks[d.chain.front().task])];
  if (counts.empty()) return;
  for (const Model::Task& task : s.model.tasks) {
    const auto at = counts.find(place_of(task));
    if (at == counts.end() || task.is_resource || task.is_scope) continue;
    at->second.ended += task.how == Model::End::Resolved;
    at->second.open += task.how == Model::End::Open;
  }
  for (Diagnosis& d : found) {
    if (!may_be_abandoned(s, d)) continue;
    const Count& count = counts[place_of(s.model.tasks[d.chain.front().task])];
    if (count.ended < fewest || count.open != d.similar.size() + 1) continue;
    d.others_ended = count.ended;
    d.suspicion = Suspicion::Suspect;
  }
  stable_sort(found,
              [](const Diagnosis& a, const Diagnosis& b) { return a.suspicion < b.suspicion; });
}

}  // namespace skein
