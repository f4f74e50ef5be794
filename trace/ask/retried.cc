#include "trace/ask/retried.h"

namespace skein {

std::optional<Retried> find_retried(const Subject& s, TaskIndex task) {
  constexpr uint64_t fewest = 2;
  const std::vector<Waits::Wait>& waits = s.waits.waits;
  const auto object_of = [&](const Waits::Wait& wait) {
    const Model::Concern* use = wait.on == no_index ? nullptr : s.model.concern(wait.on);
    return use == nullptr ? Model::Object::none : use->object;
  };
  const uint32_t last = s.waits.last_wait[task];
  if (last == Waits::none || !waits[last].is_open()) return {};
  const uint32_t object = object_of(waits[last]);
  if (object == Model::Object::none || waits[last].location == 0) return {};
  Retried found;
  uint64_t first = 0;
  for (uint32_t i = waits[last].before; i != Waits::none; i = waits[i].before) {
    const Waits::Wait& wait = waits[i];
    if (wait.location != waits[last].location || object_of(wait) != object || wait.is_open() ||
        wait.cancelled || wait.end_overwritten)
      break;
    found.count++;
    first = wait.begin;
  }
  if (found.count < fewest) return {};
  const Model::Task& of = s.model.tasks[task];
  for (const Model::Task& other : s.model.tasks)
    found.others += other.name == of.name && other.location == of.location &&
                    other.kind == of.kind && other.how == Model::End::Resolved && other.end > first;
  return found;
}

}  // namespace skein
