#include "view/viewer/highlights.h"

#include <algorithm>

namespace skein {

using Link = Model::Link;

std::vector<uint8_t>& Highlights::marks_of(const Session& session, size_t track) {
  marks_[track].resize(session[track].model.tasks.size(), 0);
  return marks_[track];
}

void Highlights::update(const Session& session, const SessionFindings& findings,
                        const Finder& finder, const Selection& selection,
                        const SessionAnnotations& annotations, const Path& path,
                        const std::vector<std::vector<uint8_t>>& chosen) {
  marks_.resize(session.size());
  for (size_t track = 0; track < session.size(); track++) marks_[track] = finder.found(track);
  const Item& item = selection.item();
  if (selection.related()) {
    add_related(session, item.track, item.index);
    add_stuck_chain(findings, item.track, item.index);
  }
  if (item.kind == Item::Kind::Interaction) {
    std::vector<uint8_t>& marks = marks_of(session, item.track);
    const Model::Interaction& arrow = session[item.track].model.interactions[item.index];
    for (const TaskIndex end : {arrow.from, arrow.to})
      if (end < marks.size()) marks[end] = 1;
  }
  for (size_t track = 0; track < std::min(chosen.size(), session.size()); track++) {
    if (chosen[track].empty()) continue;
    std::vector<uint8_t>& marks = marks_of(session, track);
    const size_t count = std::min(marks.size(), chosen[track].size());
    for (size_t i = 0; i < count; i++) marks[i] |= chosen[track][i];
  }
  if (!path.empty()) fade_beside(session, path);
  SessionAnnotations::Counterpart other;
  if (selection.has_task() && annotations.find(session, item.track, item.index, other) &&
      other.task != no_index)
    marks_of(session, other.track)[other.task] = 1;
}

// Marks its predecessors and successors, the targets of their waits, and their waiters.
void Highlights::add_related(const Session& session, uint32_t track, TaskIndex task) {
  const Model& all = session[track].model;
  const TaskIndex last = all.last_self(task);
  std::vector<uint8_t> same(all.tasks.size(), 0);
  same[last] = same[task] = 1;
  for (TaskIndex i = 0; i < all.tasks.size(); i++)
    if (all.tasks[i].becomes != no_index && all.last_self(i) == last) same[i] = 1;
  std::vector<uint8_t>& marks = marks_of(session, track);
  for (size_t i = 0; i < same.size(); i++) marks[i] |= same[i];
  for (const Model::Interaction& arrow : all.interactions) {
    if (arrow.link != Link::Read && arrow.link != Link::ReadFailure && arrow.link != Link::Await)
      continue;
    if (arrow.from >= same.size() || arrow.to >= same.size()) continue;
    if (same[arrow.from]) marks[arrow.to] = 1;
    if (same[arrow.to]) marks[arrow.from] = 1;
  }
}

// Marks the tasks that a stuck task waits for, directly or indirectly.
void Highlights::add_stuck_chain(const SessionFindings& findings, uint32_t track, TaskIndex task) {
  const Diagnosis d = findings.diagnose(track, task);
  if (!d.is_error()) return;
  const auto mark = [&](TaskIndex one) {
    const TaskIndex shown = findings.shown(track, one);
    if (shown != no_index) marks_[track][shown] = 1;
  };
  for (const Diagnosis::Step& step : d.chain) mark(step.task);
  if (d.notification != Waits::none)
    mark(findings.state(track).waits.notifications[d.notification].by);
}

// Fades the tasks that are not on the path, except matches and related tasks.
void Highlights::fade_beside(const Session& session, const Path& path) {
  std::vector<uint8_t>& marks = marks_of(session, path.track());
  std::vector<uint8_t> on(marks.size(), 0);
  for (const Segment& segment : path.segments())
    if (segment.task < on.size()) on[segment.task] = 1;
  for (size_t i = 0; i < on.size(); i++)
    if (!on[i] && marks[i] == 0) marks[i] = 2;
}

}  // namespace skein
