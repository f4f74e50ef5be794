#include "view/viewer/session_annotations.h"

#include "base/text.h"

namespace skein {

void SessionAnnotations::set(const Annotations& annotations, const Session& session) {
  markers_.clear();
  text_ = safe_text(annotations.text, 1'000);
  sides_.assign(session.size(), {});
  if (annotations.first != annotations.second &&
      std::max(annotations.first, annotations.second) < session.size()) {
    const Model& a = session[annotations.first].model;
    const Model& b = session[annotations.second].model;
    std::vector<TaskIndex>& of_a = sides_[annotations.first].tasks;
    std::vector<TaskIndex>& of_b = sides_[annotations.second].tasks;
    of_a.assign(a.tasks.size(), no_index);
    of_b.assign(b.tasks.size(), no_index);
    sides_[annotations.first].other = annotations.second;
    sides_[annotations.second].other = annotations.first;
    for (const auto& [one, other] : annotations.matches) {
      const TaskIndex in_a = a.find(one);
      const TaskIndex in_b = b.find(other);
      if (in_a == no_index || in_b == no_index) continue;
      of_a[in_a] = in_b;
      of_b[in_b] = in_a;
    }
  }
  for (const Annotations::Note& note : annotations.notes) {
    if (note.trace >= session.size()) continue;
    const SessionTrace& of = session[note.trace];
    const TaskIndex task = of.model.find(note.task);
    const auto time = static_cast<int64_t>(note.clock - of.trace.info.start);
    if (task != no_index && time >= 0)
      markers_.push_back({note.trace, task, static_cast<double>(time), safe_text(note.text)});
  }
}

void SessionAnnotations::replaced(size_t track) {
  if (track < sides_.size()) sides_[track].tasks.clear();
}

bool SessionAnnotations::find(const Session& session, size_t track, TaskIndex task,
                              Counterpart& other) const {
  if (track >= sides_.size() || task >= sides_[track].tasks.size()) return false;
  other = {sides_[track].other, sides_[track].tasks[task]};
  if (!session.has_task(other.track, other.task)) other.task = no_index;
  return true;
}

}  // namespace skein
