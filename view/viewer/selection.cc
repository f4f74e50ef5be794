#include "view/viewer/selection.h"

namespace skein {

bool Selection::extent(const Session& session, double& from, double& to) const {
  if (!has_item()) return false;
  const SessionTrace& of = session[item_.track];
  const auto set = [&](uint64_t start, uint64_t end) {
    from = of.on_clock(start);
    to = of.on_clock(std::max(start, end));
    return true;
  };
  switch (item_.kind) {
    case Item::Kind::Task: {
      const Model::Task& task = of.model.tasks[item_.index];
      return set(task.start, task.is_unresolved() ? of.model.end : task.end);
    }
    case Item::Kind::Interaction: {
      const Model::Interaction& arrow = of.model.interactions[item_.index];
      return set(arrow.from_time, arrow.to_time);
    }
    case Item::Kind::Sleep:
      return set(of.model.sleeps[item_.index].start, of.model.sleeps[item_.index].end);
    case Item::Kind::Pause:
      return set(of.model.pauses[item_.index].start, of.model.pauses[item_.index].end);
    default:
      return false;
  }
}

}  // namespace skein
