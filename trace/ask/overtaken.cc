#include "trace/ask/overtaken.h"

#include <algorithm>

namespace skein {

Places::Places(const Subject& subject) : subject_(subject) {
  const std::vector<Waits::Wait>& all = subject.waits.waits;
  place_.resize(all.size());
  std::unordered_map<TaskIndex, uint32_t> caller;  // by task: the last wait for it
  for (uint32_t i = 0; i < all.size(); i++) {
    const Waits::Wait& wait = all[i];
    const auto outer = caller.find(wait.task);
    const uint64_t outer_place = outer == caller.end() ? 1 : place_[outer->second];
    if (wait.location != 0 && outer_place != 0)
      place_[i] = (outer_place ^ wait.location) * 0x9e3779b97f4a7c15 | 1;
    if (wait.on != no_index) caller.insert_or_assign(subject.model.last_self(wait.on), i);
    if (place_[i] != 0 && !wait.is_open() && !wait.cancelled && !wait.end_overwritten)
      waits_[place_[i]].push_back(i);
  }
}

std::optional<EarlierWaits> Places::overtaken(uint32_t index) const {
  constexpr uint64_t shortest = 1'000'000'000;  // ns
  constexpr uint64_t times = 20, fewest = 20;
  const Waits::Wait& wait = subject_.waits.waits[index];
  const uint64_t age = subject_.model.end - std::min(subject_.model.end, wait.begin);
  const auto others = waits_.find(place_[index]);
  if (place_[index] == 0 || age < shortest || others == waits_.end()) return {};
  EarlierWaits found;
  for (const uint32_t i : others->second) {
    const Waits::Wait& other = subject_.waits.waits[i];
    found.count++;
    found.later += other.begin > wait.begin;
    found.longest = std::max(found.longest, other.end - other.begin);
    found.last = std::max(found.last, other.end);
  }
  if (found.count < fewest || found.longest > age / times) return {};
  return found;
}

}  // namespace skein
