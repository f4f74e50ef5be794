// Numbers small keys from 0, in the order in which they are first seen.
//
//   struct Key { uint32_t parent, name; bool operator==(const Key&) const = default;
//                uint64_t hash() const; };
//   NumberTable<Key> table;
//   const uint32_t number = table.add({parent, name});
//
// std::unordered_map takes four times as long: a node for each key.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace skein {

template <class Key>
class NumberTable {
 public:
  uint32_t add(const Key& key) {
    const size_t mask = slots_.size() - 1;
    size_t at = key.hash() & mask;
    for (; slots_[at] != 0; at = (at + 1) & mask)
      if (keys_[slots_[at] - 1] == key) return slots_[at] - 1;
    keys_.push_back(key);
    slots_[at] = static_cast<uint32_t>(keys_.size());
    if (keys_.size() * 2 > slots_.size()) grow();
    return static_cast<uint32_t>(keys_.size() - 1);
  }

  // `none`: it was never added.
  uint32_t find(const Key& key) const {
    const size_t mask = slots_.size() - 1;
    for (size_t at = key.hash() & mask; slots_[at] != 0; at = (at + 1) & mask)
      if (keys_[slots_[at] - 1] == key) return slots_[at] - 1;
    return none;
  }

  static constexpr uint32_t none = UINT32_MAX;
  size_t size() const { return keys_.size(); }
  const Key& operator[](uint32_t number) const { return keys_[number]; }

 private:
  void grow() {
    slots_.assign(slots_.size() * 2, 0);
    const size_t mask = slots_.size() - 1;
    for (uint32_t i = 0; i < keys_.size(); i++) {
      size_t at = keys_[i].hash() & mask;
      while (slots_[at] != 0) at = (at + 1) & mask;
      slots_[at] = i + 1;
    }
  }

  std::vector<Key> keys_;
  std::vector<uint32_t> slots_ = std::vector<uint32_t>(256);  // 0: empty; a key's number + 1
};

// Of keys that are not hostile: collisions only cost time.
inline uint64_t hash_of(uint64_t a, uint64_t b) {
  uint64_t hash = (a * 0x9e3779b97f4a7c15 ^ b) * 0xff51afd7ed558ccd;
  return hash ^ hash >> 32;
}

}  // namespace skein
