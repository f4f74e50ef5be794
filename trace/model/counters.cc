#include "trace/model/counters.h"

#include <algorithm>

#include "base/stable_sort.h"

namespace skein {

Model::Counter& Counters::get(StringId name) {
  if (name >= index_.size()) index_.resize(size_t{name} + 1, no_index);
  if (index_[name] == no_index) {
    index_[name] = static_cast<uint32_t>(model_.counters.size());
    model_.counters.push_back({.name = name, .points = {}});
  }
  return model_.counters[index_[name]];
}

// A sum that overflows wraps around, as it may have in the recorded program.
void Counters::add(StringId name, uint64_t time, uint64_t amount) {
  auto& points = get(name).points;
  const uint64_t before = points.empty() ? 0 : static_cast<uint64_t>(points.back().value);
  points.push_back({.time = time, .value = static_cast<int64_t>(before + amount)});
}

void Counters::set(StringId name, uint64_t time, uint64_t value) {
  get(name).points.push_back({.time = time, .value = static_cast<int64_t>(value)});
}

void Counters::finish(const Strings& strings) {
  stable_sort(model_.counters, [&](const auto& a, const auto& b) {
    return strings[a.name] != strings[b.name] ? strings[a.name] < strings[b.name] : a.name < b.name;
  });
  // The stem of a name: up to and including the last '#', or the whole name.
  Strings stems;
  std::vector<uint32_t> scale_of(1, no_index);  // by stem
  for (Model::Counter& counter : model_.counters) {
    const std::string_view name = strings[counter.name];
    const size_t mark = name.rfind('#');
    const StringId stem = stems.intern(mark == name.npos ? name : name.substr(0, mark + 1));
    scale_of.resize(stems.size(), no_index);
    if (scale_of[stem] == no_index) {
      scale_of[stem] = static_cast<uint32_t>(model_.scales.size());
      model_.scales.push_back({});
    }
    counter.scale = scale_of[stem];
    Model::Scale& scale = model_.scales[counter.scale];
    for (const Model::Counter::Point& point : counter.points) {
      scale.low = std::min(scale.low, point.value);
      scale.high = std::max(scale.high, point.value);
    }
  }
}

}  // namespace skein
