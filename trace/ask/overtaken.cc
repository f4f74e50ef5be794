#include "trace/ask/overtaken.h"

#include <algorithm>

namespace skein {

Places::Places(const Subject& subject) : subject_(subject) {
  const std::vector<Waits::Wait>& all = subject.waits.waits;
  place_.resize(all.size());
  outer_.resize(all.size());
  std::unordered_map<TaskIndex, uint32_t> caller;  // by task: the last wait for it
  for (uint32_t i = 0; i < all.size(); i++) {
    const Waits::Wait& wait = all[i];
    const auto outer = caller.find(wait.task);
    const uint64_t outer_place = outer == caller.end() ? 1 : place_[outer->second];
    outer_[i] = outer == caller.end() ? wait.task : outer_[outer->second];
    if (wait.location != 0 && outer_place != 0)
      place_[i] = (outer_place ^ wait.location) * 0x9e3779b97f4a7c15 | 1;
    if (wait.on != no_index) caller.insert_or_assign(subject.model.last_self(wait.on), i);
    if (place_[i] == 0 || wait.is_open() || wait.cancelled || wait.end_overwritten) continue;
    Place& place = places_[place_[i]];
    place.begins.push_back(wait.begin);
    place.by_task[outer_[i]]++;
    place.longest = std::max(place.longest, wait.end - wait.begin);
    place.last = std::max(place.last, wait.end);
  }
}

std::optional<EarlierWaits> Places::overtaken(uint32_t index) const {
  constexpr uint64_t shortest = 1'000'000'000;  // ns
  constexpr uint64_t times = 20, enough = 20;
  const Waits::Wait& wait = subject_.waits.waits[index];
  const uint64_t age = subject_.model.end - std::min(subject_.model.end, wait.begin);
  const auto at = places_.find(place_[index]);
  if (at == places_.end() || age < shortest) return {};
  const Place& place = at->second;
  if (place.begins.size() < enough || place.longest > age / times) return {};
  const auto later = std::upper_bound(place.begins.begin(), place.begins.end(), wait.begin);
  const auto own = place.by_task.find(outer_[index]);
  return EarlierWaits{.count = place.begins.size(),
                      .own = own == place.by_task.end() ? 0 : own->second,
                      .tasks = place.by_task.size(),
                      .later = static_cast<uint64_t>(place.begins.end() - later),
                      .longest = place.longest,
                      .last = place.last};
}

}  // namespace skein
