#include "trace/ask/interleaved.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/stable_sort.h"
#include "trace/ask/direction.h"
#include "trace/ask/traffic.h"

namespace skein {

namespace {

class InterleavedFinder {
 public:
  explicit InterleavedFinder(const Subject& subject)
      : s_(subject),
        moved_(find_moved(s_.trace, s_.model)),
        has_next_(s_.model.tasks.size(), false) {
    for (TaskIndex task = 0; task < s_.model.tasks.size(); task++)
      if (is_part(task)) has_next_[s_.model.tasks[task].parent] = true;
  }

  std::vector<Interleaved> find() {
    std::map<uint32_t, std::vector<TaskIndex>> pending;  // by object
    for (const Model::Concern& use : s_.model.concerns) {
      if (use.object == Model::Object::none || !is_send(use.task)) continue;
      std::vector<TaskIndex>& others = pending[use.object];
      const uint64_t now = s_.model.tasks[use.task].start;
      std::erase_if(others, [&](TaskIndex other) {
        return !s_.model.is_open(other) && s_.model.tasks[other].end <= now;
      });
      for (const TaskIndex other : others) add(other, use.task, use.object);
      others.push_back(use.task);
    }
    std::vector<Interleaved> found;
    for (const auto& [places, pair] : found_) found.push_back(pair);
    stable_sort_by(found,
                   [&](const Interleaved& pair) { return s_.model.tasks[pair.second].start; });
    return found;
  }

 private:
  bool is_send(TaskIndex task) const {
    return direction_of(s_.trace.strings[s_.model.tasks[task].name]) == Direction::Sends;
  }
  // Whether the handler of a send of the same socket has begun it: it is no first part.
  bool is_part(TaskIndex task) const {
    const TaskIndex parent = s_.model.tasks[task].parent;
    if (parent == no_index || !is_send(task) || !is_send(parent)) return false;
    const Model::Concern* use = s_.model.concern(task);
    const Model::Concern* before = s_.model.concern(parent);
    return use != nullptr && before != nullptr && use->object != Model::Object::none &&
           use->object == before->object &&
           s_.model.tasks[task].location == s_.model.tasks[parent].location;
  }
  TaskIndex first_part(TaskIndex task) const {
    while (is_part(task)) task = s_.model.tasks[task].parent;
    return task;
  }

  void add(TaskIndex first, TaskIndex second, uint32_t object) {
    const TaskIndex own = first_part(first);
    const TaskIndex other = first_part(second);
    if (own == other || s_.model.tasks[own].parent == s_.model.tasks[other].parent) return;
    const bool in_parts = (is_part(first) && moved_[s_.model.tasks[first].parent] != 0) ||
                          (has_next_[first] && moved_[first] != 0);
    const bool is_mixed = moved_[second] != 0 && (moved_[first] != 0 || s_.model.is_open(first));
    if (!in_parts || !is_mixed) return;
    const auto place = [&](TaskIndex task) { return s_.model.tasks[task].location; };
    const Interleaved pair{.first = first, .second = second, .object = object};
    found_.try_emplace({place(own), place(other)}, pair).first->second.count++;
  }

  const Subject s_;
  std::vector<uint64_t> moved_;
  std::vector<bool> has_next_;  // by task: its handler has begun the next part
  std::map<std::pair<uint32_t, uint32_t>, Interleaved> found_ = {};  // by locations
};

}  // namespace

std::vector<Interleaved> find_interleaved(const Subject& subject) {
  return InterleavedFinder(subject).find();
}

}  // namespace skein
