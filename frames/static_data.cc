#include "frames/static_data.h"

#include <algorithm>
#include <cstring>

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

std::vector<Word> nonzero_words(const Target& target, const HeapRegion& region) {
  constexpr uint64_t step = 64 << 10;
  constexpr uint64_t page = 4096;
  constexpr size_t most = 1 << 21;
  static constexpr uint8_t zeros[page] = {};
  std::vector<Word> words;
  std::vector<uint8_t> bytes(step);
  for (uint64_t at = 0; at < region.size(); at += step) {
    const uint64_t begin = region.begin + at;
    const uint64_t size = std::min(step, region.size() - at);
    if (!target.has_data(begin, begin + size)) continue;
    const size_t count = target.read_written(begin, std::span(bytes).first(size));
    for (size_t part = 0; part < count; part += page) {
      const size_t end = std::min<size_t>(part + page, count);
      if (std::memcmp(bytes.data() + part, zeros, end - part) == 0) continue;
      for (size_t i = part; i + 8 <= end; i += 8) {
        uint64_t value = 0;
        std::memcpy(&value, bytes.data() + i, sizeof value);
        if (value != 0) words.push_back({begin + i, value});
      }
      if (words.size() >= most) return words;
    }
  }
  return words;
}

size_t entries_before(std::span<const Word> words, uint64_t address) {
  const auto at = std::lower_bound(words.begin(), words.end(), address,
                                   [](const Word& a, uint64_t b) { return a.address < b; });
  return static_cast<size_t>(at - words.begin());
}

uint64_t value_at(std::span<const Word> words, uint64_t address) {
  const size_t at = entries_before(words, address);
  return at == words.size() || words[at].address != address ? 0 : words[at].value;
}

std::optional<RadixRoot> find_radix_root(
    const Target& target, std::span<const uint64_t> addresses, unsigned shift, uint64_t count,
    const std::function<bool(uint64_t leaf, uint64_t address)>& accepts) {
  constexpr size_t samples = 16;
  size_t tests = 1 << 20;
  const size_t step = std::max<size_t>(1, addresses.size() / samples);
  for (const HeapRegion& region : static_data(target, count * 8)) {
    std::vector<Word> words = nonzero_words(target, region);
    for (size_t i = step / 2; i < addresses.size(); i += step) {
      const uint64_t index = addresses[i] >> shift;
      if (index >= count) continue;
      for (const Word& word : words) {
        if (word.address < region.begin + index * 8) continue;
        const uint64_t root = word.address - index * 8;
        if (region.end - root < count * 8) break;
        if (word.value % 8 != 0 || find_mapping(target.mappings(), word.value) == nullptr) continue;
        if (tests-- == 0) return {};
        if (accepts(word.value, addresses[i])) return RadixRoot{root, std::move(words)};
      }
    }
  }
  return {};
}

}  // namespace skein
