#include "trace/ask/outlived.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "trace/ask/task_kinds.h"

namespace skein {

namespace {

constexpr uint64_t fewest = 20;
constexpr uint64_t together = 1'000'000;  // ns between the creations of siblings

bool is_same_place(const Model::Task& a, const Model::Task& b) {
  return a.location == b.location && a.name == b.name;
}

struct Siblings {
  TaskIndex ended_one = no_index;
  uint64_t count = 0;
  uint64_t ended = 0;
};

}  // namespace

std::optional<Outlived> find_outlived(const Trace& trace, const Model& model, TaskIndex task) {
  const Model::Task& first = model.tasks[task];
  if (first.pre_existing || (first.location == 0 && first.name == 0)) return {};
  Outlived found;
  std::map<std::pair<uint32_t, StringId>, Siblings> places;
  std::unordered_map<TaskIndex, TaskIndex> last;  // by creator: the task before, if it is a pair
  const auto add = [&](TaskIndex sibling) {
    const Model::Task& other = model.tasks[sibling];
    Siblings& of = places[{other.location, other.name}];
    of.count++;
    if (other.how == Model::End::Open) return;
    of.ended++;
    of.ended_one = sibling;
  };
  for (TaskIndex index = 0; index < model.tasks.size(); index++) {
    const Model::Task& one = model.tasks[index];
    if (one.is_resource || one.pre_existing || kind_class(trace, one) != KindClass::Runnable)
      continue;
    const bool is_of_place = is_same_place(one, first);
    if (is_of_place && one.how != Model::End::Open) return {};
    found.count += is_of_place;
    if (one.parent == no_index) continue;
    const auto [before, is_new] = last.try_emplace(one.parent, index);
    if (is_new) continue;
    const TaskIndex other = std::exchange(before->second, index);
    const bool other_is = is_same_place(model.tasks[other], first);
    if (is_of_place != other_is && one.start - model.tasks[other].start <= together)
      add(is_of_place ? other : index);
  }
  for (const auto& [place, of] : places)
    if (of.ended >= fewest && of.ended * 10 >= of.count * 9 && of.ended > found.ended) {
      found.sibling = of.ended_one;
      found.ended = of.ended;
    }
  if (found.count < fewest || found.sibling == no_index) return {};
  return found;
}

}  // namespace skein
