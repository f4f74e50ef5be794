#include "frames/static_data.h"

#include <algorithm>

namespace skein {

std::vector<HeapRegion> static_data(const Target& target, uint64_t least) {
  constexpr uint64_t most = uint64_t{64} << 20;
  std::vector<HeapRegion> found;
  bool is_open = false;  // the last one may go on
  for (const Mapping& mapping : target.mappings()) {
    const bool continues = is_open && mapping.begin == found.back().end;
    is_open = is_data(mapping) &&
              (mapping.has_file() ? !mapping.shared : continues && mapping.file.empty());
    if (!is_open) continue;
    if (continues)
      found.back().end = mapping.end;
    else
      found.push_back({mapping.begin, mapping.end});
  }
  std::erase_if(found, [&](const HeapRegion& region) {
    return region.size() < least || region.size() > most;
  });
  return found;
}

std::vector<uint64_t> read_words(const Target& target, const HeapRegion& region) {
  constexpr uint64_t step = 64 << 10;
  std::vector<uint64_t> words(region.size() / 8);
  for (uint64_t at = 0; at < words.size() * 8; at += step) {
    const uint64_t size = std::min<uint64_t>(step, words.size() * 8 - at);
    if (!target.has_data(region.begin + at, region.begin + at + size)) continue;
    auto* const to = reinterpret_cast<uint8_t*>(words.data()) + at;  // NOLINT
    const size_t count = target.read(region.begin + at, std::span(to, size));
    std::fill(to + count, to + size, uint8_t{0});
  }
  return words;
}

std::optional<RadixRoot> find_radix_root(
    const Target& target, std::span<const uint64_t> addresses, unsigned shift, uint64_t count,
    const std::function<bool(uint64_t leaf, uint64_t address)>& accepts) {
  constexpr size_t samples = 16;
  size_t tests = 1 << 20;
  const size_t step = std::max<size_t>(1, addresses.size() / samples);
  for (const HeapRegion& region : static_data(target, count * 8)) {
    std::vector<uint64_t> words = read_words(target, region);
    for (size_t i = step / 2; i < addresses.size(); i += step) {
      const uint64_t index = addresses[i] >> shift;
      if (index >= count) continue;
      for (uint64_t root = 0; root + count <= words.size(); root++) {
        const uint64_t leaf = words[root + index];
        if (leaf == 0 || leaf % 8 != 0 || find_mapping(target.mappings(), leaf) == nullptr)
          continue;
        if (tests-- == 0) return {};
        if (accepts(leaf, addresses[i]))
          return RadixRoot{region.begin + root * 8, region, std::move(words)};
      }
    }
  }
  return {};
}

}  // namespace skein
