#include "frames/written_parts.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace skein {

std::vector<MemoryPart> written_parts(const Target& target) {
  constexpr uint64_t step = uint64_t{4} << 20;
  constexpr uint64_t page = 4096;
  std::vector<MemoryPart> parts;
  for (const Mapping& mapping : target.mappings()) {
    if (!is_data(mapping)) continue;
    for (uint64_t at = mapping.begin; at < mapping.end;) {
      const uint64_t data = target.first_data(at, mapping.end);
      if (data >= mapping.end) break;
      at = std::max(at, data / page * page);
      const uint64_t end = at + std::min(step - at % step, mapping.end - at);
      parts.push_back({at, end, mapping.end});
      at = end;
    }
  }
  return parts;
}

uint64_t size_of(std::span<const MemoryPart> parts) {
  uint64_t size = 0;
  for (const MemoryPart& part : parts) size += part.size();
  return size;
}

std::vector<MemoryPart> sample_of(std::span<const MemoryPart> parts, uint64_t most) {
  const uint64_t in_all = size_of(parts);
  if (in_all <= most) return {parts.begin(), parts.end()};
  std::map<uint64_t, uint64_t> written;  // by the end of the mapping
  for (const MemoryPart& part : parts) written[part.limit] += part.size();
  std::vector<std::pair<uint64_t, uint64_t>> by_size;
  for (const auto& [end, size] : written) by_size.push_back({size, end});
  std::sort(by_size.begin(), by_size.end());
  std::set<uint64_t> whole;  // ends of mappings
  uint64_t in_whole = 0;
  for (const auto& [size, end] : by_size) {
    if (size > most / 2 - in_whole) break;
    in_whole += size;
    whole.insert(end);
  }
  const double share =
      static_cast<double>(most - in_whole) / static_cast<double>(in_all - in_whole);
  std::vector<MemoryPart> sample;
  double due = 0;  // bytes
  for (const MemoryPart& part : parts) {
    const bool is_whole = whole.contains(part.limit);
    const auto size = static_cast<double>(part.size());
    if (!is_whole) due += share * size;
    if (!is_whole && due < size) continue;
    sample.push_back(part);
    if (!is_whole) due -= size;
  }
  return sample;
}

}  // namespace skein
