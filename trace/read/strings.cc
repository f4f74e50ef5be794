#include "trace/read/strings.h"

#include <cstring>

namespace skein {

namespace {

template <typename Number>
uint64_t load(const char* from) {
  Number number;
  std::memcpy(&number, from, sizeof number);
  return number;
}

// Loads the last eight bytes. Of a shorter text, loads all bytes, some twice: a copy of variable
// size would be a function call.
uint64_t load_last(std::string_view text) {
  const char* end = text.data() + text.size();
  if (text.size() >= 8) return load<uint64_t>(end - 8);
  if (text.size() >= 4) return load<uint32_t>(text.data()) << 32 | load<uint32_t>(end - 4);
  return load<uint8_t>(text.data()) << 16 | load<uint8_t>(text.data() + text.size() / 2) << 8 |
         load<uint8_t>(end - 1);
}

// Consumes eight bytes per step: labels are hashed once per event, so this affects the decoding
// speed. `text` is not empty.
uint32_t hash_of(std::string_view text) {
  constexpr uint64_t odd = 0x9E3779B97F4A7C15;
  uint64_t hash = text.size() * odd;
  for (size_t at = 0; text.size() - at > 8; at += 8) {
    hash = (hash ^ load<uint64_t>(text.data() + at)) * odd;
    hash ^= hash >> 29;
  }
  hash = (hash ^ load_last(text)) * odd;
  return static_cast<uint32_t>(hash >> 32);
}

}  // namespace

Strings::Strings() : texts_{Text{0, 0, 0}}, slots_(64, 0) {}

StringId Strings::intern(std::string_view text) {
  if (text.empty()) return 0;
  if (text.size() > UINT32_MAX) text = text.substr(0, UINT32_MAX);
  const uint32_t hash = hash_of(text);
  const size_t mask = slots_.size() - 1;
  size_t slot = hash & mask;
  while (const StringId id = slots_[slot]) {
    const Text& known = texts_[id];
    if (known.hash == hash && known.size == text.size() &&
        std::memcmp(arena_.data() + known.offset, text.data(), text.size()) == 0)
      return id;
    slot = (slot + 1) & mask;
  }
  if (texts_.size() == UINT32_MAX) return 0;
  const auto id = static_cast<StringId>(texts_.size());
  texts_.push_back({arena_.size(), static_cast<uint32_t>(text.size()), hash});
  arena_.append(text);
  slots_[slot] = id;
  if (texts_.size() * 2 > slots_.size()) grow_slots();
  return id;
}

void Strings::grow_slots() {
  slots_.assign(slots_.size() * 2, 0);
  const size_t mask = slots_.size() - 1;
  for (StringId id = 1; id < texts_.size(); id++) {
    size_t slot = texts_[id].hash & mask;
    while (slots_[slot]) slot = (slot + 1) & mask;
    slots_[slot] = id;
  }
}

}  // namespace skein
